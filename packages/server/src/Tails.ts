/**
 * The newest events of runs that are followed, read from the store and written out once for all who follow a run.
 */
import type { Recorded, RunId, Seq, StoreError } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { Context, Deferred, Effect, Exit, Layer, Option, RcMap, type Scope, Stream } from "effect"

/** What is kept of a run for those who follow it: for who is a little behind. */
const keptEvents = 256
const keptLength = 1_000_000

/** How many events are read from the store at once; as many as a page of it has. */
const pageSize = 512

/**
 * An event as it is sent; nothing comes after the last one of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Item {
  readonly seq: Seq
  readonly text: string
  readonly isLast: boolean
}

/**
 * @category services
 * @since 0.1.0
 */
export class Tails extends Context.Service<Tails, {
  /**
   * Every event of the run from a position on, once and in order, and every further one as it comes; ends with the end of the run.
   * Who takes them slowly keeps nobody else waiting, and costs a page of the log.
   */
  readonly follow: (runId: RunId, from: Seq) => Stream.Stream<ReadonlyArray<Item>, StoreError>
}>()("@durable-agents/server/Tails") {
  /**
   * Over `Runs`, from which all who follow a run at its end read together.
   */
  static readonly layer = (itemOf: (recorded: Recorded) => Item): Layer.Layer<Tails, never, Runs> =>
    Layer.effect(
      Tails,
      Effect.gen(function*() {
        const runs = yield* Runs
        const tails = yield* RcMap.make({
          lookup: (runId: RunId) => Effect.map(Effect.scope, (scope) => tailOf(runs, itemOf, runId, scope))
        })
        return Tails.of({
          follow: (runId, from) =>
            Stream.unwrap(Effect.map(RcMap.get(tails, runId), (tail) =>
              Stream.paginate(from, (position) =>
                Effect.map(after(tail, position), (items) => {
                  const last = items.at(-1)
                  const isOver = last === undefined || last.isLast
                  return [[items], isOver ? Option.none() : Option.some(last.seq + 1)] as const
                }))))
        })
      })
    )
}

interface Tail {
  /** The newest events, oldest first, without gaps. */
  readonly items: Array<Item>
  length: number
  /** The position after the newest one; undefined while nobody is at the end of the log. */
  next: Seq | undefined
  /** How the reading ended. */
  exit: Exit.Exit<void, StoreError> | undefined
  /** Done when any of this is another. */
  changed: Deferred.Deferred<void>
  /** Events from a position on, as the store has them now. */
  readonly read: (from: Seq) => Effect.Effect<ReadonlyArray<Item>, StoreError>
  /** Reads on from here, for as long as somebody follows. */
  readonly begin: (from: Seq) => Effect.Effect<void>
}

const tailOf = (
  runs: Runs["Service"],
  itemOf: (recorded: Recorded) => Item,
  runId: RunId,
  scope: Scope.Scope
): Tail => {
  const tail: Tail = {
    items: [],
    length: 0,
    next: undefined,
    exit: undefined,
    changed: Deferred.makeUnsafe(),
    read: (from) =>
      Effect.map(Stream.runCollect(Stream.take(runs.events(runId, from), pageSize)), (found) => found.map(itemOf)),
    begin: (from) =>
      Effect.suspend(() => {
        if (tail.next !== undefined) return Effect.void
        tail.next = from
        return runs.changes(runId, from).pipe(
          Stream.runForEachArray((found) => Effect.sync(() => grow(tail, found.map(itemOf)))),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              tail.exit = exit
              tell(tail)
            })
          ),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      })
  }
  return tail
}

const grow = (tail: Tail, items: ReadonlyArray<Item>): void => {
  for (const item of items) {
    tail.items.push(item)
    tail.length += item.text.length
    tail.next = item.seq + 1
  }
  let old = 0
  while (tail.items.length - old > 1 && (tail.items.length - old > keptEvents || tail.length > keptLength)) {
    tail.length -= tail.items[old]?.text.length ?? 0
    old++
  }
  tail.items.splice(0, old)
  tell(tail)
}

const tell = (tail: Tail): void => {
  const { changed } = tail
  tail.changed = Deferred.makeUnsafe()
  Deferred.doneUnsafe(changed, Effect.void)
}

/** Some events from this position on, as soon as there are any; none if no more will come. */
const after = Effect.fnUntraced(function*(tail: Tail, position: Seq) {
  while (true) {
    const { changed, exit, items, next = -1 } = tail
    const oldest = items[0]?.seq ?? next
    if (position >= oldest && position < next) return items.slice(position - oldest)
    if (exit !== undefined && Exit.isFailure(exit)) return yield* Effect.failCause<StoreError>(exit.cause)
    if (next >= 0 && position >= next) {
      if (exit !== undefined) return []
      yield* Deferred.await(changed)
      continue
    }
    // Behind what is kept, or the first one who follows.
    const found = yield* tail.read(position)
    if (found.length > 0) return found
    yield* tail.begin(position)
  }
})
