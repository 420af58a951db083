import { Daemon } from "@durable-agents/cli"
import { Effect } from "effect"

/** A daemon that takes long to stop. */
Daemon.run(Effect.gen(function*() {
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(() => console.log("stopping")), Effect.sleep("1 minute")))
  console.log("running")
  return yield* Effect.never
}).pipe(Effect.scoped))
