import { assert, describe, it } from "@effect/vitest"
import { validate, ValidationSeverity } from "dockerfile-utils"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readIgnored } from "../deployment/ignored.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const dockerfile = read("Dockerfile")

const error = ValidationSeverity.ERROR
const linted = (text: string) =>
  validate(text, {
    deprecatedMaintainer: error,
    directiveCasing: error,
    emptyContinuationLine: error,
    instructionCasing: error,
    instructionCmdMultiple: error,
    instructionEntrypointMultiple: error,
    instructionHealthcheckMultiple: error,
    instructionJSONInSingleQuotes: error,
    instructionWorkdirRelative: error
  }).map(({ message, range }) => `${range.start.line + 1}: ${message}`)

describe("Dockerfile", () => {
  it("is what a linter wants, which finds what is not", () => {
    assert.deepStrictEqual(linted(dockerfile), [])
    assert.deepStrictEqual(linted("FROM node:24\nRUN true\nUSERS node\n"), ["3: Unknown instruction: USERS"])
  })

  it("has the Node and the package manager that the tests have", () => {
    const { devDependencies, scripts } = JSON.parse(read("package.json"))
    assert.include(dockerfile, `ARG NODE=${devDependencies.node}-bookworm-slim\n`)
    assert.include(dockerfile, `npx -y ${/pnpm@[\d.]+/.exec(scripts.start)?.[0]} install --frozen-lockfile --prod`)
  })

  it("is run by a user who owns nothing of it, by a command that gets signals itself", () => {
    const [, last = ""] = dockerfile.split(/^FROM node:\$\{NODE\}\n/m)
    assert.match(last, /^COPY --from=build \/srv \/srv$/m)
    assert.match(last, /^USER 1000:1000$/m)
    assert.match(last, /^STOPSIGNAL SIGTERM$/m)
    for (const keyword of ["ENTRYPOINT", "CMD", "HEALTHCHECK(?: --\\S+| \\\\\\n)+ *CMD"]) {
      assert.match(last, new RegExp(`^${keyword} \\["`, "m"), keyword)
    }
  })
})

describe(".dockerignore", () => {
  const ignored = readIgnored(read(".dockerignore"))

  it("lets in what the image runs", () => {
    const sources = globSync("packages/*/{package.json,src/**/*.ts,sql/*,assets/*}", { cwd: root })
    assert.isAbove(sources.length, 100)
    const kept = sources.filter((path) => !ignored(path) && !path.endsWith(".md"))
    assert.deepStrictEqual(sources.filter((path) => !path.endsWith(".md")), kept)
    for (
      const path of [
        "LICENSE",
        "package.json",
        "pnpm-lock.yaml",
        "examples/deploy/src/app.ts",
        "examples/deploy/package.json"
      ]
    ) {
      assert.isFalse(ignored(path), path)
    }
  })

  it("keeps out secrets, history, stores, tests, and what is installed or built", () => {
    for (
      const path of [
        ".git/config",
        ".env",
        "examples/deploy/.env",
        "secrets/owner.env",
        "examples/deploy/secrets/key",
        "runs.db",
        "examples/deploy/runs.db-wal",
        "mine/app.ts",
        "node_modules/effect/package.json",
        "packages/core/node_modules/effect",
        "packages/core/dist/index.js",
        "packages/core/test/Runs.test.ts",
        "examples/refund/test/Options.test.ts",
        "packages/dashboard/.screenshots/start.png",
        "docker-compose.yml"
      ]
    ) assert.isTrue(ignored(path), path)
  })

  it("is read as Docker reads it: the last pattern that names a path decides, a star goes no further than a name", () => {
    const some = readIgnored("# all\n*\n!kept\n!a/b\na/*/c\n**/x\n/top?\n")
    assert.deepStrictEqual(
      ["other", ".hidden", "kept/y", "a/z", "a/b/d", "a/b/c", "kept/deep/x", "kept/x/y", "top1"].map((path) =>
        some(path)
      ),
      [true, true, false, true, false, true, true, true, true]
    )
  })
})
