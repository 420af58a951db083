/**
 * A form for a JSON value, made from its JSON schema. What is wrong is said by the browser at the field, and keeps the form from
 * being sent.
 */
import type { Schema } from "effect"
import { Result } from "effect"
import { useState } from "preact/hooks"
import { type Field, fits, initial, type Member, problem } from "./JsonSchema.ts"
import { Foreign, Labelled } from "./parts.tsx"
import { escaped, parseJson, visible } from "./Text.ts"
import { useValidity } from "./useValidity.ts"

type Json = Schema.Json

interface Props<F = Field> {
  readonly label: string
  readonly field: F
  readonly value: Json
  readonly onChange: (value: Json) => void
}

/** Any value: with the control that its field asks for, or as JSON where none can show all of it. */
export const JsonForm = ({ field, label, onChange, value }: Props) => {
  const about = field.description
  const shared = { label: field.title ?? label, onChange, value }
  // Once: a control must not change under the hands of who types.
  const [isRaw] = useState(() => !fits(field, value))
  if (isRaw) return <RawInput {...shared} field={field} />
  switch (field._tag) {
    case "Text":
      return <TextInput {...shared} field={field} />
    case "Number":
      return <NumberInput {...shared} field={field} />
    case "Boolean":
      return (
        <div class="field check">
          <label>
            <input
              type="checkbox"
              checked={value === true}
              onChange={({ currentTarget }) => onChange(currentTarget.checked)}
            />{" "}
            <Foreign text={shared.label} />
          </label>
          {about !== undefined && (
            <p class="about">
              <Foreign text={about} />
            </p>
          )}
        </div>
      )
    case "Choice":
      return (
        <Labelled label={shared.label} about={about}>
          {(ids) => (
            <select
              {...ids}
              value={escaped(JSON.stringify(value))}
              onChange={({ currentTarget }) => onChange(field.values[currentTarget.selectedIndex] ?? null)}
            >
              {field.values.map((one) => (
                <option key={JSON.stringify(one)} value={escaped(JSON.stringify(one))}>
                  {visible(typeof one === "string" ? one : JSON.stringify(one))}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      )
    case "Group":
      return (
        <fieldset>
          <legend>
            <Foreign text={shared.label} />
          </legend>
          {field.members.map((member) => (
            <MemberInput key={member.name} member={member} value={value} onChange={onChange} />
          ))}
        </fieldset>
      )
    case "List":
      return <ListInput {...shared} item={field.item} />
    case "Raw":
      return <RawInput {...shared} field={field} />
  }
}

const MemberInput = ({ member: { field, name, required }, onChange, value }: {
  readonly member: Member
  readonly value: Json
  readonly onChange: (value: Json) => void
}) => {
  const entries: ReadonlyArray<[string, Json]> = Object.entries(Object(value))
  const given = entries.find(([key]) => key === name)?.[1]
  const put = (next: Json | undefined) =>
    onChange(Object.fromEntries([
      ...entries.map(([key, before]) => [key, key === name ? next : before] as const),
      ...(given === undefined ? [[name, next] as const] : [])
    ].flatMap(([key, one]) => one === undefined ? [] : [[key, one]])))
  const control = given === undefined ? null : <JsonForm label={name} field={field} value={given} onChange={put} />
  return required && given !== undefined ? control : (
    <div class="optional">
      <label class="check">
        <input
          type="checkbox"
          checked={given !== undefined}
          onChange={({ currentTarget }) => put(currentTarget.checked ? initial(field) : undefined)}
        />{" "}
        give <Foreign text={field.title ?? name} />
      </label>
      {control}
    </div>
  )
}

const ListInput = ({ item, label, onChange, value }: Omit<Props, "field"> & { readonly item: Field }) => {
  const items: ReadonlyArray<Json> = Array.isArray(value) ? value : []
  return (
    <fieldset>
      <legend>
        <Foreign text={label} />
      </legend>
      {items.map((one, index) => (
        // Which item is which is known by its place alone.
        <div class="item" key={`${index} of ${items.length}`}>
          <JsonForm
            label={`${label} ${index + 1}`}
            field={item}
            value={one}
            onChange={(next) => onChange(items.with(index, next))}
          />
          <button type="button" onClick={() => onChange(items.toSpliced(index, 1))}>
            Remove {visible(label)} {index + 1}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...items, initial(item)])}>Add to {visible(label)}</button>
    </fieldset>
  )
}

const TextInput = ({ field, label, onChange, value }: Props) => {
  const text = typeof value === "string" ? value : ""
  const ref = useValidity<HTMLTextAreaElement>(problem(field, value))
  return (
    <Labelled label={label} about={field.description}>
      {(ids) => (
        <textarea
          {...ids}
          ref={ref}
          dir="auto"
          rows={Math.min(12, Math.max(1, text.split("\n").length, Math.ceil(text.length / 70)))}
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labelled>
  )
}

const NumberInput = ({ field, label, onChange, value }: Props) => {
  const [text, setText] = useState(value === null ? "" : `${value}`)
  const ref = useValidity<HTMLInputElement>(problem(field, value))
  return (
    <Labelled label={label} about={field.description}>
      {(ids) => (
        <input
          {...ids}
          ref={ref}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            onChange(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(currentTarget.value.trim())
              ? Number(currentTarget.value)
              : null)
          }}
        />
      )}
    </Labelled>
  )
}

const RawInput = ({ field, label, onChange, value }: Props) => {
  const [text, setText] = useState(() => escaped(JSON.stringify(value, null, 2)))
  const ref = useValidity<HTMLTextAreaElement>(Result.isFailure(parseJson(text)) ? "This is not JSON" : "")
  return (
    <Labelled label={`${label} (JSON)`} about={field.description}>
      {(ids) => (
        <textarea
          {...ids}
          ref={ref}
          class="json"
          spellcheck={false}
          rows={Math.min(20, Math.max(2, text.split("\n").length))}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            const parsed = parseJson(currentTarget.value)
            if (Result.isSuccess(parsed)) onChange(parsed.success)
          }}
        />
      )}
    </Labelled>
  )
}
