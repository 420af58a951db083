/**
 * A checker of accessibility, put into a page.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

/** The script, for a page whose policy is bypassed. */
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What a checker of accessibility finds wrong. */
export const violations = async (page: Page, ...rules: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found: {
    readonly violations: ReadonlyArray<
      { readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }
    >
  } = await page
    .evaluate(`axe.run(${
      JSON.stringify({ resultTypes: ["violations"], ...(rules.length === 0 ? {} : { runOnly: rules }) })
    })`)
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`)
}
