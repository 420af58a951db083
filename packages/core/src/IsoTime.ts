/**
 * Times as people and programs write them in texts.
 */
import { DateTime, Option } from "effect"

/**
 * Reads a time in ISO 8601. It must say its offset, since the place that reads it may be in another zone, and be on a day that there is.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (text: string): Option.Option<DateTime.Utc> => {
  const [, day = ""] = form.exec(text) ?? []
  // Platforms take a day too many for one of the next month.
  const isDay = Option.exists(DateTime.make(`${day}T00:00Z`), (time) => DateTime.formatIso(time).startsWith(day))
  return isDay ? Option.map(DateTime.make(text.toUpperCase()), DateTime.toUtc) : Option.none()
}

const form = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i
