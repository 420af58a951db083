/**
 * The command line in processes of its own.
 */
import { assert } from "@effect/vitest"
import { type ChildProcess, spawn as spawnChild, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A process that is still running. */
export interface Begun {
  readonly child: ChildProcess
  /** Waits until standard error matches. */
  readonly says: (what: RegExp) => Promise<void>
  /** Standard error so far. */
  readonly said: () => string
  readonly ended: Promise<Ended>
}

type Environment = Readonly<Record<string, string>>

const {
  ANTHROPIC_API_KEY: _anthropicKey,
  ANTHROPIC_BASE_URL: _anthropicUrl,
  ANTHROPIC_MODEL: _anthropicModel,
  DATABASE_URL: _database,
  DURABLE_AGENTS_ACTOR: _actor,
  DURABLE_AGENTS_SCHEMA: _schema,
  DURABLE_AGENTS_STORE: _store,
  FORCE_COLOR: _force,
  LLM_API_KEY: _key,
  LLM_BASE_URL: _url,
  LLM_MODEL: _model,
  LLM_PROVIDER: _provider,
  NO_COLOR: _color,
  ...environment
} = process.env

/** Runs commands in a folder, and in an environment that names no store, actor or model by itself. */
export const processesIn = (cwd: string, own: Environment = {}) => {
  const spawn = (command: string, args: ReadonlyArray<string>, env: Environment = {}, input = ""): Ended => {
    const { status, stderr, stdout } = spawnSync(command, args, {
      encoding: "utf8",
      cwd,
      input,
      env: { ...environment, ...own, ...env }
    })
    return { code: status, out: stdout, err: stderr }
  }
  /** Node beside this process. */
  const beginWith = (args: ReadonlyArray<string>, env: Environment = {}): Begun =>
    watch(spawnChild(process.execPath, args, {
      cwd,
      env: { ...environment, ...own, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    }))
  return {
    spawn,
    beginWith,
    /** `durable-agents` to its end. */
    cli: (args: ReadonlyArray<string>, env: Environment = {}, input = ""): Ended =>
      spawn(process.execPath, [main, ...args], env, input),
    /** `durable-agents` beside this process. */
    begin: (args: ReadonlyArray<string>, env: Environment = {}): Begun => beginWith([main, ...args], env)
  }
}

const watch = (child: ChildProcess): Begun => {
  let out = ""
  let err = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  return {
    child,
    said: () => err,
    says: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (what.test(err)) resolve()
        }
        child.stderr?.on("data", look)
        child.once("close", () => reject(new Error(`it ended without saying ${what}: ${err}`)))
        look()
      }),
    ended: new Promise((resolve) => {
      child.once("close", (code) => resolve({ code, out, err }))
    })
  }
}

/** What a list of loaded modules, one a line, holds that costs time or could fail. */
export const costlyOf = (loaded: string): ReadonlyArray<string> => {
  const urls = loaded.split("\n")
  assert.isTrue(urls.some((url) => url.endsWith("/cli/src/DurableAgents.ts")))
  const costly = {
    ai: /\/effect\/(?:src|dist)\/ai\//,
    agent: /\/packages\/agent\//,
    openai: /\/packages\/openai\//,
    sqlite: /\/packages\/sqlite\//,
    postgres: /\/packages\/postgres\/|\/sql-pg\//,
    app: /\/fixtures\/app\.ts$/
  }
  return Object.entries(costly).flatMap(([name, pattern]) => urls.some((url) => pattern.test(url)) ? [name] : [])
}

/** Does this with two at a time: a machine of this size has no use for more. */
export const inPairs = async <A>(all: ReadonlyArray<A>, each: (one: A) => Promise<void>): Promise<void> => {
  const rest = all.values()
  const line = async () => {
    for (const one of rest) await each(one)
  }
  await Promise.all([line(), line()])
}

/** A command that fails with this code and says why in one line, which matches. */
export const assertFails = ({ code, err, out }: Ended, expected: number, why: RegExp): void => {
  assert.deepStrictEqual({ code, out }, { code: expected, out: "" })
  assert.match(err, /^durable-agents: [^\n]+\n$/)
  assert.match(err, why)
}

/** What a command printed that ended well and had nothing to complain about. */
export const outputOf = ({ code, err, out }: Ended): string => {
  assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
  return out
}
