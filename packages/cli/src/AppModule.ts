/**
 * The `--app` flag: the module that a command takes its programs from. It is loaded only by the commands that need it.
 */
import { Cause, Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import * as Flag from "effect/cli/Flag"
import { registerHooks } from "node:module"
import type { App, Definition } from "./App.ts"
import * as AppProblem from "./AppProblem.ts"
import { UnusableApp } from "./Failure.ts"

/**
 * @category flags
 * @since 0.1.0
 */
export const flag: Flag.Flag<string> = Flag.String("app").pipe(
  Flag.withMetavar("MODULE"),
  Flag
    .withDescription("A module that exports `app`, see App.make: the path of a TypeScript or JavaScript file, or a package")
)

/**
 * An app, and the module that it was found in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Loaded {
  readonly module: string
  /** Where it was loaded from: an address, or the name of a package. */
  readonly href: string
  readonly app: App
}

/**
 * Loads the module and reads its app. Nothing of its layer is built.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(module: string) {
  const unusable = (detail: string) => new UnusableApp({ module, detail })
  const { href, parent } = yield* Effect.mapError(locate(module), unusable)
  const exports = yield* Effect.tryPromise({
    try: () => importFrom(href, parent),
    catch: (cause) => unusable(`it cannot be loaded: ${AppProblem.ofError(cause, href)}`)
  })
  const found = Option.flatMap(decodeExports(exports), ({ app, default: other }) => Option.fromNullishOr(app ?? other))
  if (Option.isNone(found)) {
    return yield* unusable("it exports no `app`: write `export const app = App.make({ programs, layer })`")
  }
  const problem = AppProblem.ofApp(found.value)
  if (problem !== undefined) return yield* unusable(problem)
  const app = found.value as App
  const names = app.programs.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? { module, href, app } : yield* unusable(`it lists the program \`${twice}\` twice`)
})

/**
 * A program of the app by its name.
 *
 * @category getters
 * @since 0.1.0
 */
export const programOf = ({ app, module }: Loaded, name: string): Result.Result<Definition, UnusableApp> => {
  const found = app.programs.find((program) => program.name === name)
  if (found !== undefined) return Result.succeed(found)
  const names = app.programs.map(({ name }) => `\`${name}\``).join(", ") || "none"
  return Result.fail(new UnusableApp({ module, detail: `it has no program \`${name}\`; it has ${names}` }))
}

/**
 * The references that the app runs with.
 *
 * @category layers
 * @since 0.1.0
 */
export const settings = (loaded: Loaded): Layer.Layer<never, UnusableApp> =>
  explained(loaded, loaded.app.settings ?? Layer.empty)

/**
 * Makes whatever goes wrong in a layer of the app an error that names the app.
 *
 * @category combinators
 * @since 0.1.0
 */
export const explained = <R>(
  { href, module }: Loaded,
  layer: Layer.Layer<never, unknown, R>
): Layer.Layer<never, UnusableApp, R> =>
  Layer.catchCause(layer, (cause) =>
    Layer.effectDiscard(Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect
        .fail(new UnusableApp({
          module,
          detail: `its layer cannot be built: ${AppProblem.ofError(Cause.squash(cause), href)}`
        }))))

/**
 * The layer that a module exports as `guardrails`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const loadGuardrails = Effect.fnUntraced(function*(module: string) {
  const unusable = (detail: string) => new UnusableApp({ module, detail })
  const { href, parent } = yield* Effect.mapError(locate(module), unusable)
  const exports: unknown = yield* Effect.tryPromise({
    try: () => importFrom(href, parent),
    catch: (cause) => unusable(`it cannot be loaded: ${AppProblem.ofError(cause, href)}`)
  })
  const { guardrails } = Object(exports)
  return Layer.isLayer(guardrails)
    ? guardrails as unknown as Layer.Layer<never, unknown>
    : yield* unusable("it exports no layer `guardrails`: write `export const guardrails = Profiles.layer()`")
})

/** A file where there is one by that path, otherwise a package that the current folder can import. */
const locate = Effect.fnUntraced(function*(module: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.resolve(module)
  const parent = (yield* Effect.orDie(path.toFileUrl(path.resolve("app")))).href
  const info = yield* Effect.option(fileSystem.stat(file))
  if (Option.isSome(info)) {
    return info.value.type === "Directory"
      ? yield* Effect.fail("it is a folder, not a file")
      : { href: (yield* Effect.orDie(path.toFileUrl(file))).href, parent }
  }
  if (!/^\.{0,2}[/\\]|^[a-z]:[/\\]|\.[cm]?[jt]s$/i.test(module)) return { href: module, parent }
  for (const extension of [".ts", ".js", ".mts", ".mjs"]) {
    if (yield* Effect.orElseSucceed(fileSystem.exists(`${file}${extension}`), () => false)) {
      return yield* Effect.fail(`there is no such file; did you mean \`${module}${extension}\`?`)
    }
  }
  return yield* Effect.fail("there is no such file")
})

/** Packages are looked for from the current folder, not from where the command line is installed. */
const importFrom = (specifier: string, parentURL: string): Promise<unknown> => {
  const hooks = registerHooks({
    resolve: (asked, context, next) =>
      next(asked, asked === specifier && context.parentURL === import.meta.url ? { ...context, parentURL } : context)
  })
  return import(specifier).finally(() => hooks.deregister())
}

const decodeExports = Schema.decodeUnknownOption(Schema.Struct({
  app: Schema.optionalKey(Schema.Unknown),
  default: Schema.optionalKey(Schema.Unknown)
}))
