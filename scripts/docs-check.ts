/**
 * Checks README.md, docs/ and the READMEs of examples: every `ts` fence compiles and every relative link leads to a file.
 *
 * Each fence is a module of its own. One that starts with the line `// continued` goes on in the module of the fence
 * before it on the same page. The modules are written to `.docs-check/` and compiled by one run of tsc.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** A line of a module, and the line of the page it comes from. */
interface Line {
  readonly number: number
  readonly text: string
}

interface Page {
  readonly modules: ReadonlyArray<ReadonlyArray<Line>>
  readonly links: ReadonlyArray<{ readonly number: number; readonly target: string }>
  readonly errors: ReadonlyArray<{ readonly number: number; readonly message: string }>
}

/** Also within a list item or a quotation. */
const fenceStart = /^(?<indent>[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?)(?<marks>`{3,}|~{3,})\s*(?<info>[^`]*)$/
const margin = /^[\s>]*/
const typeScript = /^(ts|tsx|mts|cts|typescript)\b/i
const inlineCode = /(`+)(?!`).*?(?<!`)\1(?!`)/g
const absolute = /^([a-z][a-z0-9+.-]*:|\/\/)/i
const link = /\]\(\s*<?(?<inline>[^)\s>]+)|^\s*\[[^\]]+\]:\s*<?(?<defined>[^\s>]+)/g

/** Takes a Markdown page apart. */
export const readPage = (markdown: string): Page => {
  const modules: Array<Array<Line>> = []
  const links: Array<Page["links"][number]> = []
  const errors: Array<Page["errors"][number]> = []
  let fence: { readonly indent: number; readonly marks: string; readonly lines: Array<Line> | undefined } | undefined

  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const number = index + 1
    if (fence === undefined) {
      const { indent = "", info = "", marks } = fenceStart.exec(text)?.groups ?? {}
      if (marks !== undefined) {
        if (typeScript.test(info) && info.trim() !== "ts") {
          errors.push({
            number,
            message: `write \`\`\`ts and nothing else, not \`\`\`${info.trim()}: every fence compiles`
          })
        }
        fence = { indent: indent.length, marks, lines: info.trim() === "ts" ? [] : undefined }
        continue
      }
      for (const { groups } of text.replace(inlineCode, "").matchAll(link)) {
        links.push({ number, target: groups?.["inline"] ?? groups?.["defined"] ?? "" })
      }
      continue
    }
    const ends = text.replace(margin, "").trim()
    if (ends.length >= fence.marks.length && ends === fence.marks.charAt(0).repeat(ends.length)) {
      if (fence.lines !== undefined) {
        const previous = modules.at(-1)
        if (fence.lines[0]?.text.trim() !== "// continued") modules.push(fence.lines)
        else if (previous !== undefined) previous.push(...fence.lines)
        else errors.push({ number: number - fence.lines.length, message: "no fence before this one to continue" })
      }
      fence = undefined
      continue
    }
    fence.lines?.push({ number, text: text.slice(Math.min(margin.exec(text)?.[0].length ?? 0, fence.indent)) })
  }
  if (fence !== undefined) errors.push({ number: markdown.split(/\r?\n/).length, message: "this fence is not closed" })
  return { modules, links, errors }
}

/** Where each export of each package in the workspace has its source. */
const sources = (root: string): Record<string, Array<string>> => {
  const paths: Record<string, Array<string>> = {}
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const { exports = {}, name } = JSON.parse(readFileSync(join(root, file), "utf8"))
    for (const [subpath, target] of Object.entries(typeof exports === "string" ? { ".": exports } : exports)) {
      if (typeof target === "string") paths[name + subpath.slice(1)] = [join("..", dirname(file), target)]
    }
  }
  return paths
}

/** Checks the pages below `root` and returns one line an error. */
export const checkDocs = (root: string): { readonly errors: ReadonlyArray<string>; readonly summary: string } => {
  const errors: Array<string> = []
  const folder = join(root, ".docs-check")
  const origin = new Map<string, { readonly file: string; readonly lines: ReadonlyArray<Line> }>()
  const files = globSync(["README.md", "docs/**/*.md", "examples/*/README.md"], { cwd: root }).toSorted()
  let links = 0

  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const file of files) {
    const page = readPage(readFileSync(join(root, file), "utf8"))
    for (const { message, number } of page.errors) errors.push(`${file}:${number}: ${message}`)
    for (const { number, target } of page.links) {
      const path = decodeURI(target.replace(/[?#].*$/, ""))
      if (path === "" || absolute.test(path)) continue
      links++
      if (!existsSync(path.startsWith("/") ? join(root, path) : join(root, dirname(file), path))) {
        errors.push(`${file}:${number}: no such file: ${path}`)
      }
    }
    for (const lines of page.modules) {
      const name = `${file.replace(/\.md$/, "").replaceAll(/[/\\]/g, "-")}-${origin.size}.ts`
      writeFileSync(join(folder, name), lines.map((line) => line.text).join("\n") + "\n")
      origin.set(name, { file, lines })
    }
  }

  if (origin.size > 0) {
    const tsconfig = {
      extends: "../tsconfig.base.json",
      compilerOptions: {
        composite: false,
        noEmit: true,
        rewriteRelativeImportExtensions: false,
        allowImportingTsExtensions: true,
        paths: sources(root)
      },
      include: ["*.ts"]
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig, undefined, 2))
    const tsc = join(import.meta.dirname, "../node_modules/typescript/bin/tsc")
    const { status, stderr, stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8"
    })
    const before = errors.length
    for (const line of `${stdout}${stderr}`.split("\n").filter((text) => text.trim() !== "")) {
      const { at, message, name } = /^(?<name>[^(]+)\((?<at>\d+),\d+\): (?<message>.*)$/.exec(line)?.groups ?? {}
      const module = origin.get(name ?? "")
      const number = module?.lines[Number(at) - 1]?.number ?? module?.lines.at(-1)?.number
      errors.push(module === undefined ? line : `${module.file}:${number}: ${message}`)
    }
    if (status !== 0 && errors.length === before) errors.push(`tsc ended with ${status}`)
  }
  return { errors, summary: `${files.length} pages, ${origin.size} modules, ${links} links` }
}

if (import.meta.main) {
  const { errors, summary } = checkDocs(resolve(import.meta.dirname, ".."))
  for (const error of errors) console.error(error)
  console.log(`docs: ${summary}, ${errors.length === 0 ? "no" : errors.length} errors`)
  process.exitCode = errors.length === 0 ? 0 : 1
}
