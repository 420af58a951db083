/**
 * A collector of OpenTelemetry's protocol over HTTP, for one test: reads what it is sent as JSON, strictly, and keeps it.
 */
import { Schema } from "effect"
import { createServer } from "node:http"
import { createServer as createTcpServer, type Server, type Socket } from "node:net"

const { Finite, String: Text, optionalKey } = Schema
const list = Schema.Array
const Whole = Schema.Union([Finite, Text])
const Nanos = Text.check(Schema.isPattern(/^\d{16,20}$/))
const TraceId = Text.check(Schema.isPattern(/^[\da-f]{32}$/))
const SpanId = Text.check(Schema.isPattern(/^[\da-f]{16}$/))

const Scalar = Schema.Struct({
  stringValue: optionalKey(Text),
  intValue: optionalKey(Whole),
  doubleValue: optionalKey(Finite),
  boolValue: optionalKey(Schema.Boolean)
})
const Value = Schema.Struct({
  ...Scalar.fields,
  arrayValue: optionalKey(Schema.Struct({ values: list(Scalar) }))
})
const Attributes = list(Schema.Struct({ key: Text, value: Value }))
const Resource = Schema.Struct({ attributes: Attributes })

const Traces = Schema.Struct({
  resourceSpans: list(Schema.Struct({
    resource: Resource,
    scopeSpans: list(Schema.Struct({
      spans: list(Schema.Struct({
        name: Text,
        traceId: TraceId,
        spanId: SpanId,
        parentSpanId: optionalKey(SpanId),
        startTimeUnixNano: Nanos,
        endTimeUnixNano: Nanos,
        attributes: Attributes,
        links: list(Schema.Struct({ traceId: TraceId, spanId: SpanId, attributes: Attributes }))
      }))
    }))
  }))
})

const Points = Schema.Struct({
  dataPoints: list(Schema.Struct({
    attributes: Attributes,
    timeUnixNano: Nanos,
    asDouble: optionalKey(Finite),
    asInt: optionalKey(Whole),
    count: optionalKey(Finite)
  }))
})

const Metrics = Schema.Struct({
  resourceMetrics: list(Schema.Struct({
    resource: Resource,
    scopeMetrics: list(Schema.Struct({
      metrics: list(Schema.Struct({
        name: Text,
        unit: Text,
        sum: optionalKey(Points),
        gauge: optionalKey(Points),
        histogram: optionalKey(Points)
      }))
    }))
  }))
})

const Logs = Schema.Struct({
  resourceLogs: list(Schema.Struct({
    resource: Resource,
    scopeLogs: list(Schema.Struct({
      logRecords: list(Schema.Struct({
        traceId: optionalKey(TraceId),
        spanId: optionalKey(SpanId),
        severityText: Text,
        body: Value,
        attributes: Attributes
      }))
    }))
  }))
})

const readers = {
  "/v1/traces": Schema.decodeUnknownSync(Schema.fromJsonString(Traces)),
  "/v1/metrics": Schema.decodeUnknownSync(Schema.fromJsonString(Metrics)),
  "/v1/logs": Schema.decodeUnknownSync(Schema.fromJsonString(Logs))
}

const plainValue = ({ arrayValue, boolValue, doubleValue, intValue, stringValue }: typeof Value.Type): string =>
  arrayValue === undefined
    ? `${stringValue ?? intValue ?? doubleValue ?? boolValue}`
    : arrayValue.values.map(plainValue).join()

const plain = (attributes: typeof Attributes.Type): Readonly<Record<string, string>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

interface Sent {
  readonly path: string
  readonly contentType: string
  readonly authorization: string | undefined
  readonly body: Buffer
}

/** Listens on a free port of this machine. */
export const collector = async () => {
  const sent: Array<Sent> = []
  const { close, url } = await listening(createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { authorization, "content-type": contentType = "" } = request.headers
      sent.push({ path: request.url ?? "", contentType, authorization, body: Buffer.concat(chunks) })
      response.setHeader("content-type", contentType).end(contentType.endsWith("json") ? "{}" : "")
    })
  }))
  const bodies = (path: string) => sent.filter((each) => each.path === path).map(({ body }) => body.toString("utf8"))
  return {
    url,
    close,
    sent,
    text: () => sent.map(({ body }) => body.toString("utf8")).join("\n"),
    spans: () =>
      bodies("/v1/traces").map((json) => readers["/v1/traces"](json)).flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ attributes, links, ...span }) => ({
              ...span,
              attributes: plain(attributes),
              links: links.map(({ attributes, spanId, traceId }) => [plain(attributes)["of"], traceId, spanId]),
              resource: plain(resource.attributes)
            }))
          )
        )
      ),
    /** What was measured, as it was sent last: sums, gauges, and of histograms how many values. */
    points: () =>
      bodies("/v1/metrics").slice(-1).map((json) => readers["/v1/metrics"](json)).flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) =>
            metrics.flatMap(({ gauge, histogram, name, sum }) =>
              [sum, gauge, histogram].flatMap((points) => points?.dataPoints ?? []).map((point) => ({
                name,
                attributes: plain(point.attributes),
                value: Number(point.asDouble ?? point.asInt ?? point.count)
              }))
            )
          )
        )
      ),
    lines: () =>
      bodies("/v1/logs").map((json) => readers["/v1/logs"](json)).flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }) =>
          scopeLogs.flatMap(({ logRecords }) =>
            logRecords.map(({ attributes, body, ...record }) => ({
              ...record,
              text: plainValue(body),
              attributes: plain(attributes)
            }))
          )
        )
      )
  }
}

/** Takes connections, and never says anything. */
export const silent = () => listening(createTcpServer())

const listening = (server: Server): Promise<{ readonly url: string; readonly close: () => void }> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => sockets.add(socket))
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
      })
    })
  })
}
