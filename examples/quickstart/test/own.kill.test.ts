import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "../../..")

const readme = readFileSync(join(root, "README.md"), "utf8")
const section = readme.slice(readme.indexOf("## An agent of your own"), readme.indexOf("## Programs"))
const fences = Array.from(section.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm), ([, language = "", text = ""]) => ({
  language,
  text
}))

describe("README.md, An agent of your own", () => {
  it("survives a killed worker, word by word", () => {
    mkdirSync(join(root, "mine"), { recursive: true })
    const folder = mkdtempSync(join(root, "mine", "test-"))
    // The page gives its reader time to kill the worker; here it is killed as soon as the tool has acted.
    const here = (text: string): string =>
      text
        .replaceAll("mine/", `${relative(root, folder)}/`)
        .replaceAll("10 seconds", "2 seconds")
        .replaceAll("sleep 5;", "until [ -s \"$SENT\" ]; do sleep 0.1; done;")
    const [, start, decide] = fences.filter(({ language }) => language === "")
    const [app] = fences.filter(({ language }) => language === "ts")
    writeFileSync(join(folder, "app.ts"), here(app?.text ?? ""))
    const script = ["set -e", here(start?.text ?? ""), here(decide?.text ?? "")].join("\n")
    const bin = join(root, "node_modules/.bin")
    const { status, stderr, stdout } = spawnSync("bash", ["-c", script], {
      cwd: root,
      encoding: "utf8",
      timeout: 120_000,
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, SENT: join(folder, "sent.txt") }
    })
    const sent = readFileSync(join(folder, "sent.txt"), "utf8").trim().split("\n").map((line) => line.split(" "))
    rmSync(folder, { recursive: true })
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, "is AwaitingApproval")
    assert.include(stdout, "answer: The invoice is sent.")
    assert.deepStrictEqual(sent.map(([, attempt]) => attempt), ["1:", "2:"])
    assert.strictEqual(new Set(sent.map((words) => words.at(-1))).size, 1)
  })
})
