/**
 * A store with a worker, a server with the page, and a browser that looks at it.
 */
import { Agent, ScriptedModel } from "@durable-agents/agent"
import {
  AccessToken,
  type AccessTokens,
  type EventStore,
  MemoryStore,
  Program,
  type Role,
  type RunIndex,
  type RunQueue,
  Runs,
  Runtime,
  Signal,
  Step,
  Worker
} from "@durable-agents/core"
import { Server, ServerSettings } from "@durable-agents/server"
import { Context, Effect, Exit, Layer, ManagedRuntime, Redacted, Schema, Scope } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { HttpServer } from "effect/http"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import { Dashboard } from "../src/index.ts"

/** What a stranger would have a page do. */
export const markup =
  `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>[click](javascript:alert(1)) https://evil.example`

const IssueRefund = Tool.make("issue_refund", {
  description: "Refund an order. Amounts are in cents.",
  parameters: Schema.Struct({
    orderId: Schema.String,
    cents: Schema.Natural,
    note: Schema.optionalKey(Schema.String),
    channel: Schema.Literals(["card", "voucher"])
  }),
  success: Schema.Struct({ receipt: Schema.String }),
  needsApproval: true
})

const Tools = Toolkit.make(IssueRefund)

const Support = Agent.make("support", { instructions: "You handle refunds.", toolkit: Tools })

const Order = Schema.Struct({ id: Schema.String, gift: Schema.Boolean, copies: Schema.Natural })

const Ship = Program.make("ship", { input: Order, output: Schema.String })

const ShipLayer = Ship.toLayer(Effect.fnUntraced(function*({ id }) {
  yield* Effect.succeed(`packed ${id}`).pipe(Step.run("pack", { output: Schema.String }))
  yield* Signal.receive("pickup")
  return yield* Effect.succeed(`shipped ${id}`).pipe(Step.run("send", { output: Schema.String }))
}))

const Programs = Layer.mergeAll(
  ShipLayer,
  Support.layer.pipe(
    Layer.provide(Tools.toLayer({ issue_refund: ({ cents }) => Effect.succeed({ receipt: `RF-${cents} ${markup}` }) })),
    Layer.provide(ScriptedModel.layer([
      ScriptedModel.toolCall("issue_refund", { orderId: "A-1", cents: 6400, channel: "card" }),
      `All is done. ${markup}`
    ]))
  )
)

type Stores = EventStore | RunQueue | RunIndex | AccessTokens

/** A site of its own: `url` answers until `stop`, and again after `restart`. */
export const newSite = async () => {
  const stores: Layer.Layer<Stores> = MemoryStore.layerOf(MemoryStore.memory())
  const runtime = ManagedRuntime.make(Worker.layer({ poll: "20 millis" }).pipe(
    Layer.provide(Programs),
    Layer.provideMerge(Layer.mergeAll(Runtime.layer, Runs.layer)),
    Layer.provideMerge(stores)
  ))
  const listen = async (port: number) => {
    const scope = Scope.makeUnsafe()
    const context = await runtime.runPromise(Layer.buildWithScope(
      Layer.fresh(Server.layer({ programs: [Support, Ship], port, localUser: "local", beside: Dashboard.routes() }))
        .pipe(Layer.provide(Layer.succeed(ServerSettings, { ...ServerSettings.defaultValue(), grace: "100 millis" }))),
      scope
    ))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return {
      port: address._tag === "UnixPathAddress" ? 0 : address.port,
      stop: () => runtime.runPromise(Scope.close(scope, Exit.void))
    }
  }
  let server = await listen(0)
  const { port } = server
  return {
    url: `http://127.0.0.1:${port}`,
    run: runtime.runPromise,
    tokenFor: (holder: string, ...roles: readonly [Role, ...ReadonlyArray<Role>]) =>
      runtime.runPromise(Effect.map(AccessToken.issue({ holder, roles }), ({ secret }) => Redacted.value(secret))),
    startSupport: () => runtime.runPromise(Effect.flatMap(Runs, (runs) => runs.start(Support, "Refund order A-1"))),
    startShip: (id: string) =>
      runtime.runPromise(Effect.flatMap(Runs, (runs) => runs.start(Ship, { id, gift: false, copies: 1 }))),
    signal: (runId: Parameters<Runs["Service"]["signal"]>[0]) =>
      runtime.runPromise(Effect.flatMap(Runs, (runs) => runs.signal(runId, "pickup", { by: "van" }))),
    stop: () => server.stop(),
    restart: async () => void (server = await listen(port)),
    end: async () => {
      await server.stop()
      await runtime.dispose()
    }
  }
}

const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

/** The browser of this machine. Without one nothing is known of the page, so its tests fail. */
export const launch = (): Promise<Browser> => {
  const executablePath = places.find((place) => place !== undefined && existsSync(place))
  if (executablePath === undefined) {
    throw new Error("These tests need Chromium: `apt-get install chromium`, or its path in the variable CHROMIUM")
  }
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
}

/** A page of a browser of its own, with the complaints of the browser about it. */
export const open = async (
  browser: Browser,
  url: string,
  options: Parameters<Browser["newContext"]>[0] & { readonly token?: string } = {}
): Promise<{ readonly page: Page; readonly complaints: ReadonlyArray<string> }> => {
  const { token, ...rest } = options
  const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", timezoneId: "UTC", ...rest })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const complaints: Array<string> = []
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
  page.on("pageerror", (error) => void complaints.push(error.message))
  await page.goto(url)
  if (token !== undefined) {
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Sign out").waitFor()
  }
  return { page, complaints }
}

const screenshots = join(import.meta.dirname, "../.screenshots")

/** Keeps what the page looks like, for people. */
export const picture = async (page: Page, name: string) => {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}
