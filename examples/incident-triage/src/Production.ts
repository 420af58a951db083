/**
 * A production environment in the middle of an incident. The alert names `checkout`, which was deployed just before; the errors
 * come from `inventory`, whose connections were cut down half an hour earlier.
 */
import { Context, type Duration, Effect, Layer, Schema } from "effect"

/** There is no such service. The model gets to see this, and which ones there are. */
export class UnknownService extends Schema.TaggedError<UnknownService>()("UnknownService", {
  service: Schema.String,
  services: Schema.Array(Schema.String)
}) {
  override get message() {
    return `there is no service \`${this.service}\`; the services are ${this.services.join(", ")}`
  }
}

/** There is no such change. */
export class UnknownChange extends Schema.TaggedError<UnknownChange>()("UnknownChange", { change: Schema.String }) {
  override get message() {
    return `there is no change \`${this.change}\``
  }
}

/** How a service does right now. */
export const Status = Schema.Struct({
  service: Schema.String,
  errorPercent: Schema.Finite,
  p99Millis: Schema.Natural,
  dependsOn: Schema.Array(Schema.String)
})

/** Something that was changed in production. */
export const Change = Schema.Struct({
  id: Schema.String,
  service: Schema.String,
  at: Schema.String,
  what: Schema.String
})

/** What production looks like from outside. It outlives the processes that look at it. */
export class State {
  /** The changes that were undone, by the idempotency key of who did it. */
  readonly undone = new Map<string, string>()

  /** Whether anything still holds the connections of `inventory` down. */
  get isHealthy(): boolean {
    const undone = Array.from(this.undone.values())
    return undone.includes("config-1187") && undone.includes("config-1188")
  }
}

/** Access to production. */
export class Production extends Context.Service<Production, {
  readonly status: (service: string) => Effect.Effect<typeof Status.Type, UnknownService>
  readonly deploys: (service: string) => Effect.Effect<ReadonlyArray<typeof Change.Type>, UnknownService>
  readonly configChanges: (service: string) => Effect.Effect<ReadonlyArray<typeof Change.Type>, UnknownService>
  /** Lines that contain a text, oldest first; all of them for an empty text. */
  readonly logs: (service: string, text: string) => Effect.Effect<ReadonlyArray<string>, UnknownService>
  /** Undoes a change once per key. */
  readonly undo: (change: string, key: string) => Effect.Effect<void, UnknownChange>
}>()("example/Production") {
  /** Over a state; every look at it takes `latency`. */
  static readonly layerOf = (state: State, latency: Duration.Input = 0): Layer.Layer<Production> =>
    Layer.succeed(Production, {
      status: (service) => Effect.as(look(service, latency), statusOf(service, state.isHealthy)),
      deploys: (service) => Effect.as(look(service, latency), deploys.filter((change) => change.service === service)),
      configChanges: (service) =>
        Effect.as(look(service, latency), configChanges.filter((change) => change.service === service)),
      logs: (service, text) =>
        Effect.as(look(service, latency), (logs[service] ?? []).filter((line) => line.includes(text))),
      undo: (change, key) =>
        Effect.suspend(() => {
          if (![...deploys, ...configChanges].some(({ id }) => id === change)) {
            return Effect.fail(new UnknownChange({ change }))
          }
          state.undone.set(key, change)
          return Effect.void
        })
    })
}

const look = (service: string, latency: Duration.Input): Effect.Effect<void, UnknownService> =>
  Object.hasOwn(services, service)
    ? Effect.sleep(latency)
    : Effect.fail(new UnknownService({ service, services: Object.keys(services) }))

const services: Readonly<Record<string, ReadonlyArray<string>>> = {
  checkout: ["inventory", "payments"],
  inventory: [],
  payments: []
}

const statusOf = (service: string, isHealthy: boolean): typeof Status.Type => ({
  service,
  ...(isHealthy || service === "payments"
    ? { errorPercent: 0.2, p99Millis: 180 }
    : service === "checkout"
    ? { errorPercent: 31, p99Millis: 2_100 }
    : { errorPercent: 2, p99Millis: 9_400 }),
  dependsOn: services[service] ?? []
})

const deploys: ReadonlyArray<typeof Change.Type> = [
  { id: "deploy-812", service: "checkout", at: "14:28", what: "a new form for coupons" },
  { id: "deploy-640", service: "payments", at: "09:10", what: "newer libraries" }
]

const configChanges: ReadonlyArray<typeof Change.Type> = [
  {
    id: "config-1187",
    service: "inventory",
    at: "14:02",
    what: "database.connections in eu: 200 -> 20 (to save cost)"
  },
  { id: "config-1188", service: "inventory", at: "14:03", what: "database.connections in us: 200 -> 20 (to save cost)" }
]

const logs: Readonly<Record<string, ReadonlyArray<string>>> = {
  checkout: [
    "14:24 ERROR POST /orders 503: inventory did not answer within 2000 ms",
    "14:29 WARN  coupon form: the field `code` is empty",
    "14:30 ERROR POST /orders 503: inventory did not answer within 2000 ms",
    "14:31 ERROR POST /orders 503: inventory did not answer within 2000 ms"
  ],
  inventory: [
    "14:21 WARN  20 of 20 database connections in use, 9 requests wait",
    "14:30 WARN  20 of 20 database connections in use, 143 requests wait"
  ]
}
