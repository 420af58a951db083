/**
 * A scheduler that knows whether the fibers of one run have anything left to do.
 */
import { Scheduler } from "effect"

/**
 * Counts the tasks of the fibers that run on it. Sleepers, promises and callbacks count nothing: they have no task until they
 * resume.
 *
 * @category models
 * @since 0.1.0
 */
export interface CountingScheduler extends Scheduler.Scheduler {
  /** No fiber has a task waiting. */
  readonly isIdle: () => boolean
  /** How many tasks have run, to tell whether anything happened since one looked. */
  readonly ran: () => number
  /** Runs a function, uncounted, after one turn of the event loop. */
  readonly afterTurn: (f: () => void) => void
}

/**
 * Wraps Effect's default scheduler; `onIdle` is called whenever the last waiting task has run.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (onIdle: () => void): CountingScheduler => {
  const base = new Scheduler.MixedScheduler()
  const uncounted = base.makeDispatcher()
  let waiting = 0
  let ran = 0
  const done = () => {
    waiting -= 1
    ran += 1
    if (waiting === 0) onIdle()
  }
  return {
    executionMode: base.executionMode,
    shouldYield: (fiber) => base.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = base.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          waiting += 1
          dispatcher.scheduleTask(() => {
            task()
            done()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    },
    isIdle: () => waiting === 0,
    ran: () => ran,
    afterTurn: (f) => uncounted.scheduleTask(f, 0)
  }
}
