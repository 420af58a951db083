/**
 * The text format of Prometheus, version 0.0.4, read as strictly as its definition allows.
 */
import { assert } from "@effect/vitest"

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const labels = String.raw`(?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})?`
const sample =
  new RegExp(`^(?<name>${name})(?<labels>${labels}) (?<value>[-+]?(?:\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?|Inf)|NaN)$`)
const type = new RegExp(`^# TYPE (?<name>${name}) (?<type>counter|gauge|histogram|summary|untyped)$`)
const help = new RegExp(`^# HELP (?<name>${name}) .+$`)

/** Every sample by its name and labels. Fails for text that is not in the format, and for families that are not whole. */
export const samplesOf = (text: string): ReadonlyMap<string, number> => {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  assert.isTrue(text.endsWith("\n"), "the last line ends")
  let family = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const declared = type.exec(line)?.groups
    if (declared !== undefined) {
      assert.isFalse(types.has(`${declared["name"]}`), `${line} comes twice`)
      family = `${declared["name"]}`
      types.set(family, `${declared["type"]}`)
      continue
    }
    if (help.test(line)) continue
    const found = sample.exec(line)?.groups
    assert.isDefined(found, `${line} is no sample`)
    const key = `${found?.["name"]}${found?.["labels"]}`
    assert.isFalse(samples.has(key), `${key} comes twice`)
    const ofFamily = types.get(family) === "histogram"
      ? [`${family}_bucket`, `${family}_sum`, `${family}_count`]
      : [family]
    assert.include(ofFamily, found?.["name"], `${key} stands with its family`)
    samples.set(key, Number(found?.["value"]?.replace("Inf", "Infinity")))
  }
  for (const [key, value] of samples) {
    if (!key.includes("_bucket{") || !key.includes(`le="+Inf"`)) continue
    const count = key.replace("_bucket{", "_count{").replace(/,?le="\+Inf"/, "").replace("{}", "")
    assert.strictEqual(value, samples.get(count), `${key} is all there are`)
  }
  return samples
}
