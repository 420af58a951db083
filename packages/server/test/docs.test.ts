import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Api } from "../src/Api.ts"
import * as Problem from "../src/Problem.ts"

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8")
const page = read("../../../docs/reference/http-api.md")
const source = read("../src/Problem.ts")

/** What any endpoint that wants a token may answer. */
const common = ["400", "401", "403", "413", "415", "422", "500", "503"]

const statusesIn = (cell: string) => Array.from(cell.matchAll(/\b[2-5]\d\d\b/g), ([status]) => status)

describe("docs/reference/http-api.md", () => {
  it("lists every endpoint with its statuses, and no other", () => {
    const documented = Array.from(page.matchAll(/^\| (GET|POST) \| `(\S+)` \| (.*) \| (.*) \| ?(.*) ?\|$/gm), (row) => {
      const [, method = "", path = "", , success = "", refusals = ""] = row
      return {
        endpoint: `${method} ${path.split("?")[0]}`,
        success: statusesIn(success),
        refusals: statusesIn(refusals)
      }
    })
    const defined = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, { get, post }]) =>
      Object.entries({ GET: get, POST: post }).flatMap(([method, operation]) => {
        const statuses = Object.keys(operation?.responses ?? {})
        return operation === undefined ? [] : [{
          endpoint: `${method} ${path}`,
          success: statuses.filter((status) => status < "400"),
          refusals: statuses.filter((status) => status >= "400" && !common.includes(status))
        }]
      })
    )
    const byEndpoint = (left: { endpoint: string }, right: { endpoint: string }) =>
      left.endpoint < right.endpoint ? -1 : 1
    assert.deepStrictEqual(documented.toSorted(byEndpoint), defined.toSorted(byEndpoint))
  })

  it("lists every problem with its status, and no other", () => {
    const documented = Array.from(
      page.matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm),
      ([, status, name]) => `${status} ${name}`
    )
    const defined = Array.from(
      source.matchAll(/type: type\("([a-z-]+)"\),\s+status: (\d+)/g),
      ([, name, status]) => `${status} ${name}`
    )
    assert.lengthOf(defined, Object.keys(Problem).length)
    assert.sameMembers(documented, defined)
  })
})
