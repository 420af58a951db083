/**
 * An address to listen on: `[HOST:]PORT`.
 */
import { Effect, Result } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"

/**
 * @category models
 * @since 0.1.0
 */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Reads an address. Without a host it is this machine's own; an IPv6 address stands in brackets.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<Address, string> => {
  const { host, port = "", v6 } =
    /^(?:(?:\[(?<v6>[\da-f:.]+)\]|(?<host>[\w.-]+)):)?(?<port>\d{1,5})$/i.exec(text.trim())
      ?.groups ?? {}
  return port === "" || Number(port) > 65_535
    ? Result.fail("is no address: write [HOST:]PORT, such as 9464 or 0.0.0.0:9464")
    : Result.succeed({ host: v6 ?? host ?? "127.0.0.1", port: Number(port) })
}

/**
 * A flag that takes an address.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag = (name: string): Flag.Flag<Address> =>
  Flag.String(name).pipe(
    Flag.withMetavar("[HOST:]PORT"),
    Flag.mapEffect((text) =>
      Effect.mapError(
        Effect.fromResult(parse(text)),
        (problem) => new CliError.ValidationError({ message: `What --${name} says ${problem}` })
      )
    )
  )
