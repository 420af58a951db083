/**
 * Owners of leases that name their process, so that others on the same machine see at once that it has died.
 */
import type { Owner } from "@durable-agents/core"
import { Effect, Option, Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import process from "node:process"

/**
 * A new owner: host, boot, process namespace, process, its start, and a random end, so that it never comes again.
 *
 * **Details**
 *
 * Every evaluation makes another one: take one for each worker. A store that recognises the form frees the leases of a process
 * that is gone without waiting for their time. Where the system does not tell when a process started (anything but Linux), such
 * an owner is like any other: only its time counts.
 *
 * @category owners
 * @since 0.1.0
 */
export const owner: Effect.Effect<Owner> = Effect.sync(() => {
  const { boot, host, namespace } = machine()
  return ["process", host, boot, namespace, `${process.pid}`, life(process.pid)?.start ?? "", randomUUID()].join("/")
})

/**
 * Whether this owner is a process of this machine that no longer runs. False for owners of any other form.
 *
 * @category owners
 * @since 0.1.0
 */
export const isDead = (candidate: Owner): boolean => {
  const named = decodeNamed(candidate.split("/"))
  if (Option.isNone(named)) return false
  const [, host, boot, namespace, pid, start] = named.value
  const here = machine()
  if (host !== here.host) return false
  // A file with a write-ahead log belongs to one machine: another boot of this host is this machine before its restart.
  if (boot !== here.boot) return true
  return namespace === here.namespace && !isRunning(pid, start)
}

const Digits = Schema.String.check(Schema.isPattern(/^\d+$/))

const decodeNamed = Schema.decodeUnknownOption(Schema.Tuple([
  Schema.Literal("process"),
  Schema.NonEmptyString,
  Schema.NonEmptyString,
  Schema.NonEmptyString,
  Digits,
  Digits,
  Schema.NonEmptyString
]))

interface Machine {
  readonly host: string
  readonly boot: string
  readonly namespace: string
}

let known: Machine | undefined

const machine = (): Machine =>
  known ??= {
    host: encodeURIComponent(hostname()),
    boot: textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: textOf(() => readlinkSync("/proc/self/ns/pid"))
  }

const textOf = (read: () => string): string => Result.getOrElse(Result.try(read), () => "")

/** A process that has ended but whose parent has not asked yet (`Z`, `X`) holds its number and does nothing. */
const isRunning = (pid: string, start: string): boolean => {
  if (!isPresent(Number(pid))) return false
  const found = life(pid)
  return found === undefined || (found.start === start && found.state !== "Z" && found.state !== "X")
}

const isPresent = (pid: number): boolean =>
  Result.match(Result.try(() => process.kill(pid, 0)), {
    onSuccess: () => true,
    // It may be another user's process, which cannot be signalled but is there.
    onFailure: (cause) => !isNoSuchProcess(cause)
  })

const isNoSuchProcess = Schema.is(Schema.Struct({ code: Schema.Literal("ESRCH") }))

/** State and start of a process (`man 5 proc_pid_stat`); the name, in parentheses, may itself hold spaces and parentheses. */
const life = (pid: number | string): { readonly state: string; readonly start: string } | undefined => {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const state = fields[0]
  const start = fields[19]
  return state === undefined || start === undefined ? undefined : { state, start }
}
