/**
 * Addresses of PostgreSQL databases, which hold passwords: what may be told of them. The driver reads them once more, in full.
 */
import { Result } from "effect"

/**
 * Whether an address is one of PostgreSQL, well-formed or not.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isMeant = (address: string): boolean => /^postgres(ql)?:/i.test(address)

/**
 * The address without user, password and parameters. Fails with what is wrong, which repeats nothing of it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const place = (address: string): Result.Result<string, string> => {
  const [, rest] = /^[a-z]+:\/\/(.*)$/is.exec(address) ?? []
  if (rest === undefined || !URL.canParse(address)) return Result.fail(malformed)
  const url = new URL(address)
  const path = url.pathname.replace(/^\//, "")
  // Half of a password with such a character would pass for a database, a parameter, or a port.
  if (/[/@]/.test(path) || /[@#]/.test(url.search + url.hash)) return Result.fail(malformed)
  const host = url.searchParams.get("host")
  const port = url.searchParams.get("port") ?? url.port
  const name = host === null ? url.hostname : encodeURIComponent(host)
  const database = url.searchParams.get("dbname") ?? path
  return Result
    .succeed(`postgres://${name === "" ? "localhost" : name}${port === "" ? "" : `:${port}`}${
      database === "" ? "" : `/${database}`
    }`)
}

/** Without the scheme, since whatever looks like a URL is left out of messages. */
const malformed =
  "an address of PostgreSQL goes on with USER:PASSWORD@HOST:PORT/DATABASE, with / @ : # ? % in user and password written as %2F %40 " +
  "%3A %23 %3F %25"
