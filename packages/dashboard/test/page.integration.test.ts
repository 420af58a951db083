import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Page } from "playwright-core"
import { launch, markup, newSite, open, picture } from "./site.ts"

let browser: Browser
beforeAll(async () => void (browser = await launch()))
afterAll(() => browser?.close())

/** Runs a test over a site of its own. */
const withSite = (test: (site: Awaited<ReturnType<typeof newSite>>) => Promise<void>) => async () => {
  const site = await newSite()
  try {
    await test(site)
  } finally {
    await site.end()
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What a checker of accessibility finds wrong. */
const violations = async (page: Page, ...rules: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found: {
    readonly violations: ReadonlyArray<
      { readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }
    >
  } = await page.evaluate(`axe.run(${rules.length === 0 ? "" : JSON.stringify({ runOnly: rules })})`)
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`)
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

describe("the page", () => {
  it(
    "starts a run, shows what it asks, takes the decision, and follows it to its end (check 82)",
    withSite(async ({ url }) => {
      const { complaints, page } = await open(browser, url)
      await page.getByRole("link", { name: "Start" }).click()
      await page.getByLabel("Program").selectOption("support")
      await page.getByLabel("Input").fill("Refund order A-1")
      await page.getByRole("button", { name: "Start" }).click()
      await page.getByRole("button", { name: "Approve" }).waitFor()
      assert.match(page.url(), /#\/runs\/[0-9a-f-]{36}$/)
      assert.strictEqual(await page.getByRole("heading", { name: "Output" }).count(), 0)
      await picture(page, "run-asks")
      await page.getByRole("link", { name: "Approvals" }).click()
      await page.getByRole("link", { name: /issue_refund/ }).click()
      await page.getByRole("heading", { name: "Arguments" }).waitFor()
      assert.include(await page.locator(".opened pre").allInnerTexts().then((all) => all.join()), "\"cents\": 6400")
      await picture(page, "approvals")
      await page.getByRole("button", { name: "Change the arguments" }).click()
      await page.getByRole("textbox", { name: "cents" }).fill("many")
      await page.getByRole("button", { name: "Approve with changes" }).click()
      assert.strictEqual(
        await page.getByRole("textbox", { name: "cents" }).evaluate((input: HTMLInputElement) =>
          input.validationMessage
        ),
        "Give a number"
      )
      await page.getByRole("textbox", { name: "cents" }).fill("5000")
      await page.getByLabel("channel").selectOption("voucher")
      await picture(page, "approval-edited")
      await page.getByLabel("Reason").fill("at most 50")
      await page.getByRole("button", { name: "Approve with changes" }).click()
      await page.getByText("Approved. A worker goes on").waitFor()
      await page.locator(".opened").getByRole("link", { name: /^support/ }).click()
      await page.getByText("The run has ended").waitFor()
      await page.getByText("Approved by local: at most 50").waitFor()
      await page.getByText("RF-5000").first().waitFor()
      await picture(page, "run-completed")
      assert.deepStrictEqual(complaints, [])
    })
  )

  it(
    "tells the second of two who decide at once what stands (AP-2)",
    withSite(async ({ startSupport, tokenFor, url }) => {
      const runId = await startSupport()
      const [dana, eric] = await Promise.all(["dana", "eric"].map(async (name) => {
        const { page } = await open(browser, `${url}/#/runs/${runId}`, { token: await tokenFor(name, "approver") })
        await page.getByRole("button", { name: "Approve" }).waitFor()
        return page
      }))
      if (dana === undefined || eric === undefined) return assert.fail()
      await Promise.all([
        dana.getByRole("button", { name: "Approve" }).click(),
        eric.getByRole("button", { name: "Deny" }).click()
      ])
      const said = await Promise.all([dana, eric].map(async (page) => {
        const notice = page.locator("article .notice").filter({ hasText: /decision was not recorded|worker goes on/ })
        return await notice.innerText()
      }))
      const lost = said.filter((text) => text.includes("not recorded"))
      assert.lengthOf(lost, 1)
      assert.match(lost[0] ?? "", said[0] === lost[0] ? /eric has already denied it/ : /dana has already approved it/)
      await picture(said[0] === lost[0] ? dana : eric, "conflict")
      await Promise.all([dana, eric].map((page) => page.getByText("The run has ended").waitFor()))
    })
  )

  it(
    "goes on with what happens when its server was away for a while, without gap or double",
    withSite(async ({ restart, signal, startShip, stop, url }) => {
      const runId = await startShip("A-1")
      const { page } = await open(browser, `${url}/#/runs/${runId}`)
      await page.getByText("Wait for the signal pickup").waitFor()
      await stop()
      await page.getByText("The connection is lost").waitFor()
      await picture(page, "reconnecting")
      await signal(runId)
      await restart()
      await page.getByText("The run has ended").waitFor()
      const titles = await page.locator(".timeline h3").allInnerTexts()
      assert.deepStrictEqual(titles, [
        "Run Run started",
        "Step Step pack",
        "Wait Wait for the signal pickup",
        "Wait Signal pickup came",
        "Step Step send",
        "Run Run completed"
      ])
    })
  )

  it(
    "shows markup and links of tools and models as text (D57)",
    withSite(async ({ startSupport, url }) => {
      const runId = await startSupport()
      const { complaints, page } = await open(browser, `${url}/#/runs/${runId}`)
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByText("The run has ended").waitFor()
      await page.locator(".timeline").getByText(markup.slice(0, 40)).first().waitFor()
      assert.match(await page.title(), /durable-agents$/)
      assert.strictEqual(await page.locator("main img, main script, main iframe").count(), 0)
      const links = await page.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""))
      assert.isTrue(links.every((link) => link.startsWith("#/")), links.join())
      assert.deepStrictEqual(complaints, [])
    })
  )

  it(
    "asks for a token once there is one, keeps it out of addresses, and offers what its roles may (D32)",
    withSite(async ({ startShip, tokenFor, url }) => {
      const runId = await startShip("A-1")
      const [viewer, operator] = await Promise.all([tokenFor("vera", "viewer"), tokenFor("olga", "operator")])
      const { page } = await open(browser, `${url}/#/runs/${runId}`)
      await page.getByLabel("Token").fill("wrong")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByText("This token opens nothing").waitFor()
      await page.getByLabel("Token").fill(viewer)
      await page.keyboard.press("Enter")
      await page.getByText("Wait for the signal pickup").waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Pause" }).count(), 0)
      assert.notInclude(page.url(), viewer)
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("Token").fill(operator)
      await page.keyboard.press("Enter")
      await page.getByLabel("Reason for what you do").fill("look first")
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("Paused by olga").waitFor()
      await page.getByRole("button", { name: "Resume" }).click()
      await page.getByText("Resumed by olga").waitFor()
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.getByRole("button", { name: "Cancel the run" }).click()
      await page.getByText("Run cancelled by olga").waitFor()
      await page.reload()
      await page.getByText("Run cancelled by olga").waitFor()
    })
  )

  it(
    "is used by the keyboard alone, and keeps the focus where the reader is",
    withSite(async ({ startSupport, url }) => {
      await startSupport()
      await startSupport()
      const { page } = await open(browser, url)
      const links = page.getByRole("link", { name: /issue_refund/ })
      await links.nth(1).waitFor()
      assert.strictEqual(await focused(page), "H1")
      await links.first().focus()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Arguments" }).waitFor()
      await page.locator(".opened:focus").waitFor()
      assert.strictEqual(await links.nth(1).getAttribute("aria-current"), "true")
      await page.keyboard.press("Tab")
      assert.strictEqual(await focused(page), "A")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.getByRole("textbox", { name: "orderId" }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Deny" }).focus()
      await page.keyboard.press("Enter")
      await page.locator(".notice:focus").getByText("Denied. A worker goes on").waitFor()
      await links.nth(1).waitFor({ state: "detached" })
    })
  )

  it(
    "lists runs by filters and pages, with a way back",
    withSite(async ({ startShip, url }) => {
      for (let count = 0; count < 51; count++) await startShip(`B-${count}`)
      const { page } = await open(browser, `${url}/#/runs`)
      await page.getByRole("link", { name: "Older runs" }).click()
      await page.locator("tbody tr").nth(1).waitFor({ state: "detached" })
      await page.locator("tbody tr").waitFor()
      assert.strictEqual(await page.locator("tbody tr").count(), 1)
      await page.goBack()
      await page.locator("tbody tr").nth(49).waitFor()
      await page.getByLabel("Status").selectOption("awaiting signal")
      await page.getByLabel("Program").fill("nothing")
      await page.keyboard.press("Enter")
      await page.getByText("No runs fit").waitFor()
      assert.match(page.url(), /#\/runs\?status=AwaitingSignal&program=nothing$/)
    })
  )

  it(
    "is found without fault by a checker of accessibility, light, dark and narrow",
    withSite(async ({ startSupport, url }) => {
      const runId = await startSupport()
      const { page } = await open(browser, url, { bypassCSP: true })
      const places = [
        ["approvals", "#/approvals", page.getByRole("link", { name: /issue_refund/ })],
        ["run", `#/runs/${runId}`, page.getByText("Live:")],
        ["runs", "#/runs", page.locator("tbody tr")],
        ["start", "#/start", page.getByLabel("Program")]
      ] as const
      await page.evaluate(axe)
      for (const [place, hash, ready] of places) {
        await page.emulateMedia({ colorScheme: "light" })
        await page.setViewportSize({ width: 1280, height: 720 })
        await page.evaluate(`location.hash = "${hash}"`)
        await ready.waitFor()
        if (place === "approvals") {
          await ready.click()
          await page.getByRole("button", { name: "Change the arguments" }).click()
        }
        if (place === "start") await page.getByLabel("Program").selectOption("ship")
        assert.deepStrictEqual(await violations(page), [], `${place}, light`)
        await picture(page, `${place}-light`)
        await page.emulateMedia({ colorScheme: "dark" })
        assert.deepStrictEqual(await violations(page, "color-contrast"), [], `${place}, dark`)
        await picture(page, `${place}-dark`)
        await page.setViewportSize({ width: 320, height: 640 })
        assert.deepStrictEqual(await violations(page, "target-size", "color-contrast"), [], `${place}, narrow`)
        assert.isAtMost(
          await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
          0,
          `${place} is too wide`
        )
        await picture(page, `${place}-narrow`)
      }
    })
  )
})
