/**
 * The page as routes of the server that answers the API. It is built ahead and asks nothing of any other machine.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"

const files = {
  "index.html": "text/html; charset=utf-8",
  "dashboard.js": "text/javascript; charset=utf-8",
  "dashboard.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml"
} as const

/**
 * What the page may do in a browser: load its own files, and talk to its own server. No script of anybody else's, no markup
 * made from text, no frame around it, no form that goes elsewhere.
 *
 * @category constants
 * @since 0.1.0
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/**
 * Routes for the page and its files: at `/`, or at `prefix` if the API is below one. They need no credential; what the page shows
 * comes from the API, which does.
 *
 * @category layers
 * @since 0.1.0
 */
export const routes = (
  options: { readonly prefix?: `/${string}` } = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const prefix: `/${string}` | "" = options.prefix ?? ""
  const all = Object.entries(files).map(([name, contentType]) =>
    HttpRouter.use((router) =>
      Effect.flatMap(
        asset(name, contentType),
        (answer) => router.add("GET", `${prefix}/${name === "index.html" ? "" : name}`, answer)
      )
    )
  )
  const [first = Layer.empty, ...others] = all
  return Layer.mergeAll(first, ...others)
}

/** Sends the file, or 304 to who has it. */
const asset = Effect.fnUntraced(function*(name: string, contentType: string) {
  const body = yield* Effect.sync(() => readFileSync(new URL(`../assets/${name}`, import.meta.url)))
  const headers = {
    etag: `W/"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`,
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    vary: "accept-encoding"
  }
  const plain = HttpServerResponse.uint8Array(body, { contentType, headers })
  const zipped = HttpServerResponse.uint8Array(gzipSync(body), {
    contentType,
    headers: { ...headers, "content-encoding": "gzip" }
  })
  const unchanged = HttpServerResponse.empty({ status: 304, headers })
  return (request: HttpServerRequest.HttpServerRequest) => {
    const path = request.originalUrl.split(/[?#]/, 1)[0] ?? ""
    // Without the slash at its end, what the page names would be looked for beside it.
    if (name === "index.html" && !path.endsWith("/")) {
      // From here on, so that no part of it can be taken for another place.
      return Effect.succeed(HttpServerResponse.redirect(`./${path.slice(path.lastIndexOf("/") + 1)}/`))
    }
    return Effect.succeed(isKnown(request.headers["if-none-match"] ?? "", headers.etag)
      ? unchanged
      : /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers["accept-encoding"] ?? "")
      ? zipped
      : plain)
  }
})

/** Whether somebody has it; what stands between may have made a tag weak. */
const isKnown = (known: string, etag: string): boolean =>
  known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.replace(/^W\//, ""))
