/**
 * The log of a run as state of a component: its timeline, and how the connection stands.
 */
import type { Run } from "@durable-agents/server/Api"
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import type { Failure } from "./Client.ts"
import type { Recorded } from "./Entry.ts"
import { type Connection, follow } from "./feed.ts"
import { start } from "./hooks.ts"
import { useSession } from "./Session.ts"
import * as Timeline from "./Timeline.ts"

export interface Feed {
  readonly timeline: Timeline.Timeline
  readonly connection: Connection
  readonly failure: Failure | undefined
}

const nothing: Feed = { timeline: Timeline.empty, connection: "connecting", failure: undefined }

/** The timeline of a run as it grows. */
export const useFeed = (runId: Run["runId"]): Feed => {
  const { client } = useSession()
  const [feed, setFeed] = useState(nothing)
  useEffect(() => {
    setFeed(nothing)
    const { flush, put } = bundled((events) =>
      setFeed((before) => ({ ...before, timeline: Timeline.add(before.timeline, events) }))
    )
    const stop = start(Effect.catch(
      follow(client, runId, {
        events: put,
        connection: (connection) => {
          flush()
          setFeed((before) => ({ ...before, connection }))
        }
      }),
      (failure) => Effect.sync(() => setFeed((before) => ({ ...before, connection: "failed", failure })))
    ))
    return () => {
      stop()
      flush()
    }
  }, [client, runId])
  return feed
}

/** What comes alone is told at once; of a long log that is being read, so much that the page can be drawn in between. */
const bundled = (tell: (events: ReadonlyArray<Recorded>) => void) => {
  let waiting: Array<Recorded> = []
  let pause: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(pause)
    pause = undefined
    if (waiting.length === 0) return
    const events = waiting
    waiting = []
    // After few events the next ones are told at once again.
    if (events.length > 20) pause = setTimeout(flush, 400)
    tell(events)
  }
  return {
    flush,
    put: (events: ReadonlyArray<Recorded>) => {
      waiting = [...waiting, ...events]
      if (pause === undefined) flush()
    }
  }
}
