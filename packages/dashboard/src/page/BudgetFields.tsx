/**
 * Limits of a run as fields; times in minutes, as people say them.
 */
import type { Run } from "@durable-agents/server/Api"
import { useState } from "preact/hooks"
import { Labelled } from "./parts.tsx"
import { spaced } from "./Text.ts"
import { useValidity } from "./useValidity.ts"

type Budget = Run["budget"]
type Usage = Run["usage"]

const numbers = ["turns", "toolCalls", "tokens", "costUsd", "wallMillis", "activeMillis"] as const
type Name = typeof numbers[number]
type Texts = { readonly [Key in Name | "unpriced" | "atLimit"]: string }

const labels: { readonly [Key in Name]: string } = {
  turns: "Turns",
  toolCalls: "Tool calls",
  tokens: "Tokens",
  costUsd: "Money in USD",
  wallMillis: "Minutes from its start",
  activeMillis: "Minutes at work"
}

const minute = 60_000
const isMinutes = (name: Name): boolean => name === "wallMillis" || name === "activeMillis"

const textOf = (budget: Budget, name: Name): string => {
  const value = budget[name]
  return value === undefined ? "" : typeof value === "number" && isMinutes(name) ? `${value / minute}` : `${value}`
}

const textsOf = (budget: Budget): Texts => ({
  turns: textOf(budget, "turns"),
  toolCalls: textOf(budget, "toolCalls"),
  tokens: textOf(budget, "tokens"),
  costUsd: textOf(budget, "costUsd"),
  wallMillis: textOf(budget, "wallMillis"),
  activeMillis: textOf(budget, "activeMillis"),
  unpriced: budget.unpriced ?? "",
  atLimit: budget.atLimit ?? ""
})

const pattern = (name: Name): RegExp => name === "costUsd" || isMinutes(name) ? /^\d{1,15}(\.\d{1,15})?$/ : /^\d{1,15}$/

const problemOf = (name: Name, text: string, before: string): string =>
  text === ""
    ? before === "" ? "" : "A limit can be replaced, and not be taken away"
    : pattern(name).test(text)
    ? ""
    : name === "costUsd" || isMinutes(name)
    ? "A number, such as 2.50"
    : "A whole number"

export interface BudgetState {
  readonly texts: Texts
  readonly before: Texts
  readonly put: (name: keyof Texts, text: string) => void
  /** The limits that are not as they were when the form was opened. */
  readonly changed: Budget
}

export const useBudget = (budget: Budget): BudgetState => {
  const [before] = useState(() => textsOf(budget))
  const [texts, setTexts] = useState(before)
  const isChanged = (name: keyof Texts) => texts[name] !== before[name] && texts[name] !== ""
  const whole = (name: Exclude<Name, "costUsd">): Budget =>
    isChanged(name)
      ? { [name]: isMinutes(name) ? Math.round(Number(texts[name]) * minute) : Number(texts[name]) }
      : {}
  return {
    texts,
    before,
    put: (name, text) => setTexts((others) => ({ ...others, [name]: text })),
    changed: {
      ...whole("turns"),
      ...whole("toolCalls"),
      ...whole("tokens"),
      ...whole("wallMillis"),
      ...whole("activeMillis"),
      ...(isChanged("costUsd") ? { costUsd: texts.costUsd } : {}),
      ...(isChanged("unpriced") && (texts.unpriced === "allow" || texts.unpriced === "refuse")
        ? { unpriced: texts.unpriced }
        : {}),
      ...(isChanged("atLimit") && (texts.atLimit === "refuse" || texts.atLimit === "park")
        ? { atLimit: texts.atLimit }
        : {})
    }
  }
}

const usedOf = (usage: Usage | undefined, name: Name): string | undefined => {
  if (usage === undefined) return undefined
  const { costUsd, inputTokens, outputTokens, possible, toolCalls, turns } = usage
  const tokens = inputTokens + outputTokens
  switch (name) {
    case "turns":
      return `Used: ${turns}`
    case "toolCalls":
      return `Used: ${toolCalls}`
    case "tokens":
      return `Used: ${tokens}${possible.tokens > 0 ? `, and perhaps ${possible.tokens} more, which count` : ""}`
    case "costUsd":
      return `Used: $${costUsd}${
        /[1-9]/.test(possible.costUsd) ? `, and perhaps $${possible.costUsd} more, which count` : ""
      }`
    default:
      return undefined
  }
}

export const BudgetFields = ({ budget, mustChange = false, now, usage }: {
  readonly budget: BudgetState
  /** The limits as they are by now. */
  readonly now: Budget
  readonly usage?: Usage
  readonly mustChange?: boolean
}) => {
  const { before, changed, put, texts } = budget
  const current = textsOf(now)
  const moved = numbers.filter((name) => current[name] !== before[name])
  const isEmpty = mustChange && Object.keys(changed).length === 0
  return (
    <>
      {moved.length > 0 && (
        <p class="notice care" role="status">
          Meanwhile changed by somebody else: {moved.map((name) => `${labels[name]} ${current[name]}`).join(", ")}.
        </p>
      )}
      <div class="limits">
        {numbers.map((name, index) => (
          <LimitInput
            key={name}
            name={name}
            about={usedOf(usage, name)}
            text={texts[name]}
            problem={problemOf(name, texts[name], before[name]) ||
              (isEmpty && index === 0 ? "Nothing is changed yet" : "")}
            onChange={(text) => put(name, text)}
          />
        ))}
        <Choice
          label="Models without a price"
          values={[["", "as before"], ["allow", "may be called"], ["refuse", "are refused"]]}
          value={texts.unpriced}
          onChange={(text) => put("unpriced", text)}
        />
        <Choice
          label="At a limit"
          values={[["", "as before"], ["refuse", "what would pass it fails"], ["park", "the run stops and waits"]]}
          value={texts.atLimit}
          onChange={(text) => put("atLimit", text)}
        />
      </div>
    </>
  )
}

const LimitInput = ({ about, name, onChange, problem, text }: {
  readonly name: Name
  readonly about: string | undefined
  readonly text: string
  readonly problem: string
  readonly onChange: (text: string) => void
}) => {
  const ref = useValidity<HTMLInputElement>(problem)
  return (
    <Labelled label={labels[name]} about={about}>
      {(ids) => (
        <input
          {...ids}
          ref={ref}
          inputMode={pattern(name).test("1.5") ? "decimal" : "numeric"}
          autoComplete="off"
          placeholder="no limit"
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
        />
      )}
    </Labelled>
  )
}

const Choice = ({ label, onChange, value, values }: {
  readonly label: string
  readonly values: ReadonlyArray<readonly [value: string, words: string]>
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <Labelled label={label}>
    {(ids) => (
      <select {...ids} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {values.map(([name, words]) => <option key={name} value={name}>{words}</option>)}
      </select>
    )}
  </Labelled>
)

/** A limit for people. */
export const limitText = (name: string, value: string | number): readonly [name: string, value: string] =>
  name === "wallMillis" || name === "activeMillis"
    ? [labels[name].replace("Minutes", "Time"), `${Number(value) / minute} min`]
    : [spaced(name), `${value}`]
