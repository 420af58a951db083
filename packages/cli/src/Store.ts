/**
 * The `--store` flag: which database a command looks into.
 */
import { type AccessTokens, type EventStore, type RunIndex, type RunQueue, StoreError } from "@durable-agents/core"
import { Config, Effect, FileSystem, Layer, Option, Redacted, Result } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as PostgresAddress from "./PostgresAddress.ts"
import * as Printable from "./Printable.ts"
import * as ServerAddress from "./ServerAddress.ts"

/**
 * A store, by the address that the user gave.
 *
 * @category models
 * @since 0.1.0
 */
export type Store = Sqlite | Postgres

/**
 * @category models
 * @since 0.1.0
 */
export interface Sqlite {
  readonly _tag: "Sqlite"
  readonly file: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Postgres {
  readonly _tag: "Postgres"
  /** It may hold a password. */
  readonly url: Redacted.Redacted
  /** The address without user, password and parameters. */
  readonly place: string
  /** What names the store in a command to be copied: nothing where the environment does. */
  readonly named: "" | "--store \"$DATABASE_URL\"" | "--store URL"
}

/**
 * Reads the address of a store. What is refused may hold a password, so no message repeats it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (address: string, named: Postgres["named"] = ""): Result.Result<Store, string> => {
  if (PostgresAddress.isMeant(address)) {
    return Result.map(
      PostgresAddress.place(address),
      (place) => ({ _tag: "Postgres", url: Redacted.make(address), place, named })
    )
  }
  const file = /^sqlite:(.*)$/is.exec(address)?.[1]
  if (file === undefined) {
    // Nothing but a path may be repeated.
    const meant = /^[^:@?#]*[./\\][^:@?#]*$/.test(address) ? `; did you mean \`sqlite:${address}\`?` : ""
    return Result.fail(`the stores that there are begin with sqlite: or postgres:${meant}`)
  }
  if (file === "") return Result.fail("sqlite: lacks the path of a file")
  return /[?#]|^\/\/[^/]*@/.test(file)
    ? Result.fail("sqlite: takes the path of a file, without user, password or parameters")
    : Result.succeed({ _tag: "Sqlite", file })
}

/** Where an address stands: on the command line, or in a variable. */
interface Given {
  readonly from: "flag" | "DURABLE_AGENTS_STORE" | "DATABASE_URL"
  readonly address: string
}

/** An empty one counts as none: that is how it is taken away in many places. */
const databaseUrl = Config.withDefault(Config.String("DATABASE_URL"), "")

const inEnvironment: Config.Config<Option.Option<Given>> = Config.map(
  Config.all({ store: Config.option(Config.String("DURABLE_AGENTS_STORE")), url: databaseUrl }),
  ({ store, url }) =>
    Option.map(store, (address): Given => ({ from: "DURABLE_AGENTS_STORE", address })).pipe(Option.orElse(() =>
      url === "" ? Option.none() : Option.some<Given>({ from: "DATABASE_URL", address: url })
    ))
)

const read = Effect.fnUntraced(
  function*({ address, from }: Given) {
    if (from === "DATABASE_URL" && !PostgresAddress.isMeant(address)) {
      return yield* Effect
        .fail("DATABASE_URL is not an address of PostgreSQL; give --store or set DURABLE_AGENTS_STORE")
    }
    if (from !== "flag") return yield* Effect.fromResult(parse(address))
    const set = yield* Effect.orDie(databaseUrl)
    return yield* Effect
      .fromResult(parse(address, set === "" || set === address ? "--store \"$DATABASE_URL\"" : "--store URL"))
  },
  Effect.mapError((problem) => new CliError.ValidationError({ message: `Bad store: ${problem}` }))
)

/**
 * The store that the environment names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromEnvironment: Effect.Effect<Option.Option<Store>, CliError.CliError> = Effect
  .orDie(inEnvironment)
  .pipe(Effect.flatMap(Option.match({
    onNone: () => Effect.succeedNone,
    onSome: (given) => Effect.asSome(read(given))
  })))

/**
 * The store that the command line names.
 *
 * @category flags
 * @since 0.1.0
 */
export const named: Flag.Flag<Store> = Flag.String("store").pipe(
  Flag.withMetavar("sqlite:FILE|postgres://..."),
  Flag
    .withDescription("The store that holds the runs; the default is in DURABLE_AGENTS_STORE, then in DATABASE_URL. Leave an address with a " +
      "password there, since others on this machine can see command lines"),
  Flag.mapEffect((address) => read({ from: "flag", address }))
)

/**
 * The store of a command that nothing else than a store will do for.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag: Flag.Flag<Store> = Flag.String("url").pipe(
  Flag.withHidden,
  Flag.orElseResult(() => Flag.optional(named)),
  Flag.mapEffect(Result.match({
    onSuccess: () => Effect.fail(needed("--url")),
    onFailure: (given) =>
      Effect.flatMap(
        Option.isSome(given) ? Effect.succeed(given) : fromEnvironment,
        Option.match({
          onNone: () =>
            Effect.flatMap(ServerAddress.isInEnvironment, (isSet) =>
              Effect.fail(isSet ? needed(ServerAddress.variable) : new CliError.MissingOption({ option: "store" }))),
          onSome: Effect.succeed
        })
      )
  }))
)

const needed = (given: string) =>
  new CliError.ValidationError({
    message: `This command works on a store, not through a server, so ${given} is of no use to it: give --store`
  })

/**
 * What a command does with a store: looks into it, writes to it, or executes its runs. The first two are soon over.
 *
 * @category models
 * @since 0.1.0
 */
export type Access = "read" | "write" | "execute"

/**
 * Opens a store, which must exist. Its driver is loaded only now, since most of the time to start is loading.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  store: Store,
  access: Access
): Layer.Layer<EventStore | RunQueue | RunIndex | AccessTokens, StoreError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    if (store._tag === "Sqlite") {
      yield* mustExist(store)
      const { Sqlite } = yield* loadSqlite
      return Sqlite.layer(access === "read" ? { file: store.file, access } : { file: store.file, create: false })
    }
    const { Postgres } = yield* loadPostgres
    const options = { ...(yield* optionsOf(store)), migrate: false }
    return (access === "execute" ? Postgres.layer(options) : Postgres.layer({ ...options, ...brief }))
      .pipe(Layer.catch((error: StoreError) => {
        const missing = error.cause instanceof Postgres.TablesMissing ? error.cause : undefined
        const help = missing === undefined
          ? ""
          : `; \`${withArgument("durable-agents init-db", store)}\` ${missing.all ? "creates it" : "upgrades it"}`
        return Layer.effectContext(Effect.fail(at(store, error, help)))
      }))
  }))

/**
 * What became of a store that was to be there: it was made, brought from an older build's tables to this one's, or found.
 *
 * @category models
 * @since 0.1.0
 */
export type Created = "created" | "upgraded" | "found"

/**
 * Creates a store where there is none, and brings an older one to the tables of this build.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (store: Store): Effect.Effect<Created, StoreError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    if (store._tag === "Sqlite") {
      const existed = Option.isSome(yield* Effect.option(stat(store.file)))
      const { Sqlite } = yield* loadSqlite
      yield* Effect.scoped(Layer.build(Sqlite.layer({ file: store.file })))
      return existed ? "found" : "created"
    }
    const { Postgres } = yield* loadPostgres
    const options = yield* optionsOf(store)
    return yield* Effect.mapError(Postgres.migrate({ ...options, ...brief }), (error) => at(store, error))
  })

/**
 * The address without secrets, for people; it is for who prints it to make it printable.
 *
 * @category words
 * @since 0.1.0
 */
export const show = (store: Store): string => store._tag === "Sqlite" ? `sqlite:${store.file}` : store.place

/**
 * A command to be copied, on this store. It never holds a password.
 *
 * @category words
 * @since 0.1.0
 */
export const withArgument = (command: string, store: Store): string => {
  const argument = store._tag === "Sqlite" ? `--store ${Printable.shellWord(show(store))}` : store.named
  return argument === "" ? command : `${command} ${argument}`
}

/**
 * For commands that are soon over: none asks the same twice, so nothing is prepared, and whoever waits for one wants to know soon
 * that the server is away.
 */
const brief = { listen: false, prepare: false, maxConnections: 1, retryFor: "3 seconds" } as const

const loadSqlite = Effect.promise(() => import("@durable-agents/sqlite"))
const loadPostgres = Effect.promise(() => import("@durable-agents/postgres"))

/** Where the tables are is said in the environment, as for `Postgres.layerConfig`. */
const optionsOf = Effect.fnUntraced(function*({ url }: Postgres) {
  const { Postgres } = yield* loadPostgres
  return { url, schema: yield* Effect.orDie(Postgres.schemaFromEnvironment) }
})

/** The same failure, with where it happened: the address may come from a variable that nobody thinks of. */
const at = (store: Store, { cause, detail, operation }: StoreError, help = "") =>
  new StoreError({ operation, detail: `\`${withoutScheme(store)}\`: ${detail}${help}`, cause })

/** Whatever looks like a URL is left out of messages, as it may hold a password. */
const withoutScheme = (store: Store): string => show(store).replace(/^[a-z]+:(\/\/)?/, "")

const stat = (file: string) => Effect.flatMap(FileSystem.FileSystem, (fileSystem) => fileSystem.stat(file))

const mustExist = Effect.fnUntraced(function*(store: Sqlite) {
  const { file } = store
  const { type } = yield* Effect.mapError(
    stat(file),
    (error) =>
      new StoreError({
        operation: "open",
        detail: error.reason._tag === "NotFound"
          ? `there is no file \`${file}\`; \`${withArgument("durable-agents init-db", store)}\` creates it`
          : `\`${file}\`: ${error.message}`,
        cause: error
      })
  )
  if (type !== "File") return yield* new StoreError({ operation: "open", detail: `\`${file}\` is not a file` })
})
