/**
 * What is written down: as data, and as a table for people.
 */
import type { Figure, Goal } from "./Figure.ts"
import type { Settings } from "./Settings.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Report {
  /** Year and month. */
  readonly taken: string
  readonly machine: { readonly processors: number; readonly platform: string; readonly node: string }
  readonly server: { readonly version: string; readonly durability: Readonly<Record<string, string>> }
  readonly settings: Settings
  readonly seconds: number
  readonly measures: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly figures: ReadonlyArray<Figure>
  }>
}

/**
 * One line a figure.
 *
 * @category printing
 * @since 0.1.0
 */
export const table = ({ machine, measures, seconds, server, settings, taken }: Report): string => {
  const rows = measures.flatMap(({ figures, id, title }) =>
    figures.map((figure, index) =>
      row(index === 0 ? `**${id}** ${title}: ${figure.name}` : `${id} ${figure.name}`, figure)
    )
  )
  const durability = Object.entries(server.durability).map(([name, value]) => `${name} ${value}`).join(", ")
  return [
    "| Measure | Unit | Limit | Ours | Ours / limit (least to most) | Goal | Best of others | Met |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    `${taken}, ${machine.processors} processors (${machine.platform}), Node ${machine.node}, PostgreSQL ${server.version} with ${durability}. ` +
    `Medians of ${settings.rounds} rounds in turns where there are rounds; ${Math.round(seconds)} seconds in all.`,
    ""
  ].join("\n")
}

const row = (name: string, { goal, limit, met, ours, peers = [], ratio, unit }: Figure): string =>
  `| ${
    [
      name,
      unit,
      limit === undefined ? "" : number(limit.median),
      number(ours.median),
      ratio === undefined ? "" : `${number(ratio.median)} (${number(ratio.least)} to ${number(ratio.most)})`,
      goal === undefined ? "" : goalText(goal),
      peers.map(({ goal, name, times }) => `${number(times)} × ${name} (goal ${goal} ×)`).join("; "),
      met === undefined ? "" : met && peers.every(({ met }) => met) ? "yes" : "**no**"
    ].join(" | ")
  } |`

const goalText = (goal: Goal): string => "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`

const number = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : `${Number(value.toPrecision(3))}`
