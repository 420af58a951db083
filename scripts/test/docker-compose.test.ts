import { assert, describe, it } from "@effect/vitest"
import { DCLinter } from "dclint"
import { Schema } from "effect"
import { Yaml } from "effect/encoding"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const Secret = Schema.Union([Schema.String, Schema.Struct({ source: Schema.String, target: Schema.Literal("env") })])

const Service = Schema.Struct({
  image: Schema.String,
  entrypoint: Schema.optionalKey(Schema.Array(Schema.String)),
  command: Schema.optionalKey(Schema.Array(Schema.String)),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  secrets: Schema.Array(Secret),
  ports: Schema.optionalKey(Schema.Array(Schema.String)),
  volumes: Schema.optionalKey(Schema.Array(Schema.String)),
  healthcheck: Schema
    .optionalKey(Schema.Struct({
      test: Schema.optionalKey(Schema.Array(Schema.String)),
      disable: Schema.optionalKey(Schema.Boolean)
    })),
  depends_on: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ condition: Schema.String }))),
  read_only: Schema.optionalKey(Schema.Boolean),
  cap_drop: Schema.optionalKey(Schema.Array(Schema.String)),
  restart: Schema.Literals(["no", "unless-stopped"]),
  stop_grace_period: Schema.optionalKey(Schema.String)
})

const { secrets, services } = Schema.decodeUnknownSync(Schema.Struct({
  services: Schema.Record(Schema.String, Service),
  secrets: Schema.Record(Schema.String, Schema.Struct({ file: Schema.String }))
}))(Yaml.parse(read("docker-compose.yml")))

const { postgres, rights, server, tables, worker } = services
const ours = { tables, worker, server }

/** What the linter says, which has no types that are found here. */
const Found = Schema
  .decodeUnknownSync(Schema
    .Array(Schema.Struct({ messages: Schema.Array(Schema.Struct({ line: Schema.Int, message: Schema.String })) })))

const linted = (file: string) =>
  // Rules about the order of lines, and one that takes quotes for missing ones, are left out.
  Found(new DCLinter({
    rules: {
      "require-quotes-in-ports": 0,
      "service-keys-order": 0,
      "services-alphabetical-order": 0,
      "top-level-properties-order": 0
    },
    quiet: false,
    debug: false,
    exclude: []
  }).lintFiles([file], false)).flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`))

describe("docker-compose.yml", () => {
  it("is what the specification of Compose says, and what a linter wants", () => {
    assert.deepStrictEqual(linted(join(root, "docker-compose.yml")), [])
    const folder = mkdtempSync(join(tmpdir(), "compose-"))
    const misspelt = join(folder, "compose.yml")
    writeFileSync(misspelt, read("docker-compose.yml").replace("stop_grace_period", "stop_grace"))
    const found = linted(misspelt)
    rmSync(folder, { recursive: true })
    assert.match(found.join(), /additional properties/)
  })

  it("lets nobody in but this machine", () => {
    assert.deepStrictEqual(Object.values(services).flatMap(({ ports = [] }) => ports), [
      "127.0.0.1:${POSTGRES_PORT:-5432}:5432",
      "127.0.0.1:${PORT:-8787}:8787"
    ])
  })

  it("has the version of PostgreSQL that the tests have", () => {
    const tested = Object.values<string>(JSON.parse(read("package.json")).optionalDependencies)
    const [, version = ""] = /^postgres:(\d+\.\d+)$/.exec(postgres?.image ?? "") ?? []
    assert.notStrictEqual(version, "")
    for (const binaries of tested) assert.isTrue(binaries.startsWith(`${version}.`), binaries)
    assert.strictEqual(rights?.image, postgres?.image)
  })

  it("keeps its data in a named volume, where that version of the image has them", () => {
    assert.include([...(postgres?.volumes ?? [])], "postgres:/var/lib/postgresql")
  })

  it("is healthy when it takes connections of its user to its database", () => {
    const { POSTGRES_DB, POSTGRES_USER } = postgres?.environment ?? {}
    const [how, command, ...options] = postgres?.healthcheck?.test ?? []
    assert.deepStrictEqual([how, command], ["CMD", "pg_isready"])
    assert.sameMembers(options, ["--host=127.0.0.1", `--username=${POSTGRES_USER}`, `--dbname=${POSTGRES_DB}`])
  })

  it("is where its own first lines and the guide say that it is", () => {
    const { POSTGRES_DB, POSTGRES_USER } = postgres?.environment ?? {}
    const password = `$(cat ${secrets["postgres-password"]?.file.slice(2)})`
    const line = `export DATABASE_URL="postgres://${POSTGRES_USER}:${password}@127.0.0.1:5432/${POSTGRES_DB}"\n`
    for (const page of ["docker-compose.yml", "docs/guide/postgres.md"]) assert.include(read(page), line)
  })

  it("holds no secret: each is a file of a folder that git and the image leave out, and that a script makes", () => {
    const script = read("examples/deploy/secrets.sh")
    for (const { file } of Object.values(secrets)) {
      assert.match(file, /^\.\/secrets\/[\w.-]+$/)
      assert.include(script, file.replace("./secrets/", ""))
    }
    const used = Object.values(services).flatMap(({ secrets }) =>
      secrets.map((secret) => typeof secret === "string" ? secret : secret.source)
    )
    assert.sameMembers(Object.keys(secrets), [...new Set(used)])
    assert.match(read(".gitignore"), /^secrets\/$/m)
    assert.notMatch(read("docker-compose.yml"), /PASSWORD:|_KEY:|postgres:\/\/[^:]*:[^$]*@/)
  })

  it("gives each service the secrets of its role, in the environment of the image's own command", () => {
    const command: unknown = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "")
    for (const [name, service] of Object.entries(ours)) {
      assert.deepStrictEqual(service?.secrets, [{ source: name === "tables" ? "owner" : name, target: "env" }])
      assert.deepStrictEqual(service?.entrypoint?.filter((word) => word !== "--env-file=/run/secrets/env"), command)
      assert.strictEqual(service?.read_only, true)
      assert.deepStrictEqual(service?.cap_drop, ["ALL"])
    }
    const script = read("examples/deploy/secrets.sh")
    assert.match(script, /environment owner\.env owner\n/)
    assert.match(script, /environment server\.env worker\n/)
    assert.match(script, /environment worker\.env worker /)
  })

  it("asks a worker for its health where that answers", () => {
    assert.include(worker?.command?.join(" "), "--metrics 9464")
    assert.match(
      worker?.healthcheck?.test?.join(" ") ?? "",
      /^CMD node --eval fetch\('http:\/\/127\.0\.0\.1:9464\/health'\)/
    )
  })

  it("makes the tables and the rights before anything uses them, and does not do so again", () => {
    assert.deepStrictEqual(tables?.depends_on, { postgres: { condition: "service_healthy" } })
    assert.deepStrictEqual(rights?.depends_on, { tables: { condition: "service_completed_successfully" } })
    for (const service of [worker, server]) {
      assert.deepStrictEqual(service?.depends_on, { rights: { condition: "service_completed_successfully" } })
      assert.strictEqual(service?.restart, "unless-stopped")
      // Operations in flight get 10 seconds.
      assert.strictEqual(service?.stop_grace_period, "20s")
    }
    assert.deepStrictEqual([tables?.restart, rights?.restart], ["no", "no"])
  })
})
