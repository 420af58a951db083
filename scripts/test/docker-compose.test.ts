import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Yaml } from "effect/encoding"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

const Service = Schema.Struct({
  image: Schema.String,
  environment: Schema.Record(Schema.String, Schema.String),
  ports: Schema.Array(Schema.String),
  volumes: Schema.Array(Schema.String),
  healthcheck: Schema.Struct({
    test: Schema.Array(Schema.String),
    interval: Schema.String,
    timeout: Schema.String,
    retries: Schema.Int
  }),
  stop_grace_period: Schema.String
})

/** No other fields: a misspelt one is an error here, since no container engine runs in tests. */
const Compose = Schema.Struct({
  services: Schema.Struct({ postgres: Service }),
  volumes: Schema.Struct({ postgres: Schema.Null })
})

const { postgres } =
  Schema.decodeUnknownSync(Compose, { onExcessProperty: "error" })(Yaml.parse(read("docker-compose.yml"))).services

describe("docker-compose.yml", () => {
  it("lets nobody in but this machine", () => {
    assert.deepStrictEqual(postgres.ports, ["127.0.0.1:${POSTGRES_PORT:-5432}:5432"])
  })

  it("has the version of PostgreSQL that the tests have", () => {
    const tested = Object.values<string>(JSON.parse(read("package.json")).optionalDependencies)
    const [, version = ""] = /^postgres:(\d+\.\d+)$/.exec(postgres.image) ?? []
    assert.notStrictEqual(version, "")
    for (const binaries of tested) assert.isTrue(binaries.startsWith(`${version}.`), binaries)
  })

  it("keeps its data in a named volume, where that version of the image has them", () => {
    assert.deepStrictEqual(postgres.volumes, ["postgres:/var/lib/postgresql"])
  })

  it("is healthy when it takes connections of its user to its database", () => {
    const { POSTGRES_DB, POSTGRES_USER } = postgres.environment
    const [how, command, ...options] = postgres.healthcheck.test
    assert.deepStrictEqual([how, command], ["CMD", "pg_isready"])
    assert.sameMembers(options, ["--host=127.0.0.1", `--username=${POSTGRES_USER}`, `--dbname=${POSTGRES_DB}`])
  })

  it("is where its own first lines and the guide say that it is", () => {
    const { POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_USER } = postgres.environment
    const [, password = ""] = /^\$\{POSTGRES_PASSWORD:-([\w-]+)\}$/.exec(POSTGRES_PASSWORD ?? "") ?? []
    const line = `export DATABASE_URL=postgres://${POSTGRES_USER}:${password}@127.0.0.1:5432/${POSTGRES_DB}\n`
    for (const page of ["docker-compose.yml", "docs/guide/postgres.md"]) assert.include(read(page), line)
  })
})
