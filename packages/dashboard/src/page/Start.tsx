/**
 * Starts a run of a program that the server knows, by a form of its input.
 */
import type { ProgramInfo } from "@durable-agents/server/Api"
import { useState } from "preact/hooks"
import type { Failure } from "./Client.ts"
import { useKey, useLoaded, useSend } from "./hooks.ts"
import { JsonForm } from "./JsonForm.tsx"
import { fieldOf, initial } from "./JsonSchema.ts"
import { Heading, Labelled, LoadProblem, Problem } from "./parts.tsx"
import { href } from "./Route.ts"
import { may, useSession } from "./Session.ts"

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
                {programs?.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
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
            client.runs.start({ headers: { "idempotency-key": key }, payload: { program: program.name, input } })
          ),
          { done: ({ runId }) => void (location.hash = href({ _tag: "Run", runId })), failed: setFailure }
        )
      }}
    >
      <JsonForm label="Input" field={field} value={input} onChange={setInput} />
      <Problem failure={failure} />
      <button type="submit" class="good" disabled={busy}>Start</button>
    </form>
  )
}
