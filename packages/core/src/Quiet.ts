/**
 * Notices when nothing has happened in a run for a while.
 */

/**
 * @category models
 * @since 0.1.0
 */
export interface Quiet {
  /** Something may have become quiet, or may have stopped being so: call it whenever that could be. */
  readonly watch: () => void
  readonly stop: () => void
}

/**
 * Calls `onQuiet` when `isQuiet` has held for `afterMillis` and `activity` has not changed in that time, with how long that has
 * been. It answers how long to wait before it is asked again; undefined ends the watch.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly afterMillis: number
  readonly now: () => number
  readonly later: (millis: number, f: () => void) => () => void
  readonly isQuiet: () => boolean
  readonly activity: () => number
  readonly onQuiet: (passedMillis: number) => number | undefined
}): Quiet => {
  const { activity, afterMillis, isQuiet, later, now, onQuiet } = options
  let since: { readonly at: number; readonly activity: number } | undefined
  let timer: (() => void) | undefined

  const look = (millis: number): void => {
    timer = later(millis, check)
  }

  const watch = (): void => {
    if (!isQuiet()) {
      since = undefined
      return
    }
    if (since?.activity !== activity()) since = { at: now(), activity: activity() }
    if (timer === undefined) look(afterMillis)
  }

  const check = (): void => {
    timer = undefined
    const before = since
    watch()
    if (since === undefined || since !== before) return
    const passed = now() - since.at
    const again = passed < afterMillis ? afterMillis - passed : onQuiet(passed)
    if (again !== undefined) restart(again)
  }

  const restart = (millis: number): void => {
    cancel()
    look(millis)
  }

  const cancel = (): void => {
    timer?.()
    timer = undefined
  }

  return {
    watch,
    stop: () => {
      cancel()
      since = undefined
    }
  }
}
