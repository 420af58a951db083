/**
 * Arguments to be read before something is done with them: all of them, name by name, and as JSON for who wants it exactly.
 */
import type { Schema } from "effect"
import type { Field } from "./JsonSchema.ts"
import { Foreign, Value } from "./parts.tsx"

type Json = Schema.Json

export const Arguments = ({ doubted, field, value }: {
  readonly value: Json
  readonly field: Field
  /** The arguments that a guardrail speaks of. */
  readonly doubted: ReadonlySet<string>
}) => {
  const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0) return <Value value={value} whole />
  const members = field._tag === "Group" ? field.members : []
  return (
    <>
      <dl class="arguments">
        {entries.map(([name, one]) => {
          const about = members.find((member) => member.name === name)?.field
          return (
            <div key={name} class={doubted.has(name) ? "doubted" : undefined}>
              <dt>
                <Foreign text={name} />
                {doubted.has(name) && <span class="flag">look at this</span>}
                {about?.description !== undefined && (
                  <span class="about">
                    <Foreign text={about.description} />
                  </span>
                )}
              </dt>
              <dd>
                <Scalar value={one} />
              </dd>
            </div>
          )
        })}
      </dl>
      <details>
        <summary>As JSON</summary>
        <Value value={value} whole />
      </details>
    </>
  )
}

const Scalar = ({ value }: { readonly value: Json }) =>
  value === ""
    ? <em>empty text</em>
    : typeof value === "string"
    ? (
      <span class="text">
        <Foreign text={value} />
      </span>
    )
    : typeof value === "object" && value !== null
    ? <Value value={value} whole />
    : <code>{JSON.stringify(value)}</code>
