/**
 * What the forms of actions share: what they are told, a reason, and a value as JSON.
 */
import type { Explanation, Run } from "@durable-agents/server/Api"
import { Result, type Schema } from "effect"
import { Labelled } from "./parts.tsx"
import { parseJson } from "./Text.ts"
import type { Timeline } from "./Timeline.ts"
import { useValidity } from "./useValidity.ts"

export interface ActionProps {
  readonly run: Run
  readonly explanation: Explanation
  readonly timeline: Timeline
  readonly onClose: () => void
  /** It is recorded; what there is to say about it. */
  readonly onDone: (said: string) => void
}

/** What was typed, if anything was. */
export const given = (text: string): string | undefined => text.trim() === "" ? undefined : text

export const Reason = ({ onChange, value }: { readonly value: string; readonly onChange: (value: string) => void }) => (
  <Labelled label="Reason" about="May be left out. Kept in the log, with your name.">
    {(ids) => (
      <textarea
        {...ids}
        rows={2}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Labelled>
)

/** A value as JSON; what is no JSON keeps the form from being sent. */
export const JsonInput = ({ about, label, onChange, text }: {
  readonly label: string
  readonly about: string
  readonly text: string
  readonly onChange: (text: string) => void
}) => {
  const ref = useValidity<HTMLTextAreaElement>(Result.isFailure(parseJson(text)) ? "This is not JSON" : "")
  return (
    <Labelled label={label} about={about}>
      {(ids) => (
        <textarea
          {...ids}
          ref={ref}
          class="json"
          rows={3}
          spellcheck={false}
          required
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labelled>
  )
}

/** What stands there as JSON. */
export const jsonOf = (text: string): Schema.Json | undefined => Result.getOrUndefined(parseJson(text))
