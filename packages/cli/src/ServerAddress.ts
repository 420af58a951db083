/**
 * The `--url` flag: which server a command talks to, instead of opening a store.
 */
import { Config, Effect, Option, Redacted, Result } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Printable from "./Printable.ts"

/**
 * A server, by the address that the user gave.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerAddress {
  readonly _tag: "Server"
  /** Without credentials, parameters, and a slash at its end. */
  readonly url: string
  /** The environment names it, so a command to be copied need not. */
  readonly isInEnvironment: boolean
}

/**
 * Where the address is looked for without the flag.
 *
 * @category constants
 * @since 0.1.0
 */
export const variable = "DURABLE_AGENTS_URL"

/**
 * Reads the address of a server. What is refused may hold a password, so no message repeats it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (address: string, isInEnvironment = false): Result.Result<ServerAddress, string> => {
  const url = URL.parse(address.trim())
  if (url === null || !/^https?:\/\//i.test(address.trim())) {
    return Result.fail("the address of a server begins with https:// or http://")
  }
  if (url.username !== "" || url.password !== "") {
    return Result.fail("it holds a user or a password; a token belongs in DURABLE_AGENTS_TOKEN")
  }
  return url.search !== "" || url.hash !== "" || /[?#]/.test(address)
    ? Result.fail("the address of a server has no parameters")
    : Result.succeed({
      _tag: "Server",
      url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
      isInEnvironment
    })
}

const checked = (address: string, isInEnvironment: boolean) =>
  Effect.mapError(
    Effect.fromResult(parse(address, isInEnvironment)),
    (problem) => new CliError.ValidationError({ message: `Bad url: ${problem}` })
  )

/**
 * @category flags
 * @since 0.1.0
 */
export const flag: Flag.Flag<ServerAddress> = Flag.String("url").pipe(
  Flag.withMetavar("https://HOST"),
  Flag
    .withDescription("A server to talk to, instead of opening a store; the default is in DURABLE_AGENTS_URL. The token for it is in " +
      "DURABLE_AGENTS_TOKEN"),
  Flag.mapEffect((address) => checked(address, false))
)

/** An empty one counts as none: that is how it is taken away in many places. */
const inEnvironment = Effect.orDie(Config.withDefault(Config.String("DURABLE_AGENTS_URL"), ""))

/**
 * Whether the environment names a server.
 *
 * @category settings
 * @since 0.1.0
 */
export const isInEnvironment: Effect.Effect<boolean> = Effect.map(inEnvironment, (address) => address !== "")

/**
 * The server that the environment names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromEnvironment: Effect.Effect<Option.Option<ServerAddress>, CliError.CliError> = Effect.flatMap(
  inEnvironment,
  (address) => address === "" ? Effect.succeedNone : Effect.asSome(checked(address, true))
)

/**
 * The token in the environment, if there is one. What could not be sent is refused here, since whoever refuses it later may repeat it.
 *
 * @category settings
 * @since 0.1.0
 */
export const token: Effect.Effect<Option.Option<Redacted.Redacted>, CliError.CliError> = Effect.gen(function*() {
  const text = (yield* Effect.orDie(Config.withDefault(Config.String("DURABLE_AGENTS_TOKEN"), ""))).trim()
  if (text === "") return Option.none()
  return /^[\x21-\x7e]+$/.test(text)
    ? Option.some(Redacted.make(text))
    : yield* new CliError.ValidationError({ message: "What DURABLE_AGENTS_TOKEN holds is no token" })
})

/**
 * Where the server is, for people: without its scheme, as messages leave out whatever looks like an address.
 *
 * @category words
 * @since 0.1.0
 */
export const show = ({ url }: ServerAddress): string => Printable.inline(url.replace(/^https?:\/\//, ""))

/**
 * A command to be copied, through this server.
 *
 * @category words
 * @since 0.1.0
 */
export const withArgument = (command: string, { isInEnvironment, url }: ServerAddress): string =>
  isInEnvironment ? command : `${command} --url ${Printable.shellWord(url)}`
