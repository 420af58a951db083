/**
 * How the processes of a test execute runs: what waits rests at once, and chance may kill the workers of one run any number of
 * times.
 */
import { Namespace, RuntimeSettings } from "@durable-agents/core"
import { Layer } from "effect"
import type { Orders } from "./Orders.ts"

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = ({ leaseMillis, namespace }: Pick<Orders, "namespace" | "leaseMillis">): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(Namespace, namespace),
    Layer.succeed(RuntimeSettings, {
      ...RuntimeSettings.defaultValue(),
      maxRecoveries: Infinity,
      suspendAfter: "5 millis",
      keep: "20 millis",
      lease: leaseMillis
    })
  )
