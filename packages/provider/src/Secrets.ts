/**
 * What must not be reported: keys, passwords, and headers and queries that hold them.
 */
import { Redacted, Result } from "effect"

/**
 * Headers of a request; those with redacted values are secret.
 *
 * @category models
 * @since 0.1.0
 */
export type Headers = Readonly<Record<string, string | Redacted.Redacted>>

/**
 * @category readers
 * @since 0.1.0
 */
export const revealed = (value: string | Redacted.Redacted): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value

/**
 * The headers that are secret, names in lower case.
 *
 * @category readers
 * @since 0.1.0
 */
export const secretHeaders = (headers: Headers): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    Redacted.isRedacted(value) ? [[name.toLowerCase(), revealed(value)] as const] : []
  )

/**
 * The secrets that a URL holds: its password, its query as a whole, and those values of it that are named like secrets.
 *
 * @category readers
 * @since 0.1.0
 */
export const inUrl = ({ password, search, searchParams }: URL): ReadonlyArray<string> => [
  ...[password, search].flatMap((secret) => [secret, decoded(secret)]),
  ...Array.from(searchParams).flatMap(([name, value]) => /key|secret|sig|token/i.test(name) ? [value] : [])
]

/**
 * A part of a URL as it was meant.
 *
 * @category readers
 * @since 0.1.0
 */
export const decoded = (encoded: string): string =>
  Result.getOrElse(Result.try(() => decodeURIComponent(encoded)), () => encoded)

/**
 * Takes secrets out of a text, also as they stand in JSON and in URLs. What is shorter than 4 characters is none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const hiding = (secrets: ReadonlyArray<string>) => {
  const forms = secrets.filter((secret) => secret.length >= 4)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .toSorted((one, other) => other.length - one.length)
  return (text: string): string => forms.reduce((hidden, form) => hidden.replaceAll(form, "…"), text)
}
