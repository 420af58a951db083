/**
 * Starts a run of a program that the server knows, by a form of its input.
 */
import type { ProgramInfo } from "@durable-agents/server/Api"
import { DateTime, Option } from "effect"
import { useState } from "preact/hooks"
import { BudgetFields, useBudget } from "./BudgetFields.tsx"
import type { Failure } from "./Client.ts"
import { useKey, useLoaded, useSend } from "./hooks.ts"
import { JsonForm } from "./JsonForm.tsx"
import { fieldOf, initial } from "./JsonSchema.ts"
import { Heading, Labelled, LoadProblem, More, Problem } from "./parts.tsx"
import { href } from "./Route.ts"
import { may, useSession } from "./Session.ts"
import { visible, zone } from "./Text.ts"
import { useValidity } from "./useValidity.ts"

type Program = typeof ProgramInfo.Type

export const Start = () => {
  const session = useSession()
  const { failure, reload, value: programs } = useLoaded("programs", () => session.client.desk.programs())
  const [name, setName] = useState<string>()
  const program = programs?.find((one) => one.name === name) ?? programs?.[0]
  return (
    <>
      <Heading>Start a run</Heading>
      <LoadProblem failure={failure} retry={reload} value={programs} />
      {programs === undefined && failure === undefined && <p>Loading…</p>}
      {!may(session, "starter") && <p class="notice">Starting runs needs the role starter.</p>}
      {programs !== undefined && program === undefined && <p>This server knows no program that it could start.</p>}
      {program !== undefined && may(session, "starter") && (
        <>
          <Labelled label="Program">
            {(ids) => (
              <select
                {...ids}
                value={program.name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              >
                {programs?.map((one) => <option key={one.name} value={one.name}>{visible(one.name)}</option>)}
              </select>
            )}
          </Labelled>
          <StartForm key={program.name} program={program} />
        </>
      )}
    </>
  )
}

const StartForm = ({ program }: { readonly program: Program }) => {
  const { client } = useSession()
  const field = fieldOf(program.input)
  const [input, setInput] = useState(() => initial(field))
  const [labels, setLabels] = useState("")
  const [profile, setProfile] = useState("")
  const [startAt, setStartAt] = useState("")
  const own = program.budget ?? {}
  const budget = useBudget(own)
  const [failure, setFailure] = useState<Failure>()
  const keyed = useKey()
  const { busy, send } = useSend()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setFailure(undefined)
        send(
          keyed((key) =>
            client.runs.start({
              headers: { "idempotency-key": key },
              payload: {
                program: program.name,
                input,
                ...optionsOf({ labels, profile, startAt }),
                ...(Object.keys(budget.changed).length === 0 ? {} : { budget: budget.changed })
              }
            })
          ),
          { done: ({ runId }) => void (location.hash = href({ _tag: "Run", runId })), failed: setFailure }
        )
      }}
    >
      <JsonForm label="Input" field={field} value={input} onChange={setInput} />
      <More label="More: labels, limits, when">
        <Labels value={labels} onChange={setLabels} />
        <Labelled label="Not before" about={`By the clock of this device: ${zone()}`}>
          {(ids) => (
            <input
              {...ids}
              type="datetime-local"
              value={startAt}
              onInput={({ currentTarget }) => setStartAt(currentTarget.value)}
            />
          )}
        </Labelled>
        {program.guardrailProfiles.length > 0 && (
          <Labelled label="Guardrails" about="Anything weaker than the program's own needs the role operator.">
            {(ids) => (
              <select
                {...ids}
                value={profile}
                onChange={({ currentTarget }) => setProfile(currentTarget.value)}
              >
                <option value="">as the program says: {program.guardrailProfile ?? "its own"}</option>
                {program.guardrailProfiles.map((name) => <option key={name} value={name}>{name}</option>)}
              </select>
            )}
          </Labelled>
        )}
        <BudgetFields budget={budget} now={own} />
      </More>
      <Problem failure={failure} />
      <button type="submit" class="good" disabled={busy}>Start</button>
    </form>
  )
}

const Labels = ({ onChange, value }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const ref = useValidity<
    HTMLTextAreaElement
  >(linesOf(value).every((line) => /^[^=]+=/.test(line)) ? "" : "Each line wants a name, = and a value")
  return (
    <Labelled label="Labels" about="To find the run by: one a line, such as customer=4711.">
      {(ids) => (
        <textarea
          {...ids}
          ref={ref}
          rows={2}
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labelled>
  )
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** What was said besides the input. */
const optionsOf = ({ labels, profile, startAt }: {
  readonly labels: string
  readonly profile: string
  readonly startAt: string
}) => {
  const pairs = linesOf(labels).map((line) => {
    const at = line.indexOf("=")
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const
  })
  const time = startAt === "" ? Option.none() : DateTime.make(Date.parse(startAt))
  return {
    ...(pairs.length === 0 ? {} : { labels: Object.fromEntries(pairs) }),
    ...(profile === "" ? {} : { guardrailProfile: profile }),
    ...(Option.isNone(time) ? {} : { startAt: DateTime.toUtc(time.value) })
  }
}
