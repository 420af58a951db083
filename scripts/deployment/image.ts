/**
 * Builds a Dockerfile without a container engine: its instructions one after the other, in folders that stand for the file
 * systems of its stages. What a base image brings is this machine; an instruction or a flag that is not known here throws.
 */
import { DockerfileParser, type Instruction, ModifiableInstruction } from "dockerfile-ast"
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join, posix, relative } from "node:path"
import { readIgnored } from "./ignored.ts"

/** What a container is started with. */
export interface Image {
  /** The folder that stands for its root. */
  readonly root: string
  readonly workdir: string
  readonly user: string
  readonly env: Readonly<Record<string, string>>
  readonly entrypoint: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
  readonly healthcheck: ReadonlyArray<string>
  readonly stopSignal: string
}

interface Stage extends Image {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

export interface Options {
  /** The folder with the Dockerfile. */
  readonly context: string
  readonly into: string
  readonly args?: Readonly<Record<string, string>>
  readonly say?: (instruction: string) => void
}

/** Builds all stages, and returns the last one. */
export const build = ({ args = {}, context, into, say = () => {} }: Options): Image => {
  const ignored = readIgnored(readFileSync(join(context, ".dockerignore"), "utf8"))
  const stages: Array<Stage> = []
  const asked = (text: string): readonly [string, string] => {
    const [name = "", value = ""] = text.split(/=(.*)/s)
    return [name, args[name] ?? value]
  }
  const started: Record<string, string> = {}
  for (
    const instruction of DockerfileParser.parse(readFileSync(join(context, "Dockerfile"), "utf8")).getInstructions()
  ) {
    const keyword = instruction.getKeyword()
    const stage = stages.at(-1)
    const variables = stage === undefined || keyword === "FROM" ? started : { ...stage.args, ...stage.env }
    // In RUN it is the shell that puts values in place.
    const text = keyword === "RUN" ? rest(instruction) : expanded(rest(instruction), variables)
    say(`${keyword} ${text}`)
    if (keyword === "FROM") {
      const [, name = `${stages.length}`] = / AS (\S+)$/i.exec(text) ?? []
      const root = join(into, name)
      mkdirSync(root, { recursive: true })
      stages.push({ ...scratch, name, root })
    } else if (stage === undefined) {
      if (keyword !== "ARG") throw new Error(`${keyword} stands before the first FROM`)
      Object.assign(started, Object.fromEntries([asked(text)]))
    } else {
      stages[stages.length - 1] = { ...stage, ...change(stage, instruction, text) }
    }
  }

  function change(stage: Stage, instruction: Instruction, text: string): Partial<Stage> {
    const words = text.split(/\s+/)
    const [first = "", second = ""] = words
    switch (instruction.getKeyword()) {
      case "ARG": {
        const [name, value] = asked(text)
        return { args: { ...stage.args, [name]: value } }
      }
      case "ENV":
        return { env: { ...stage.env, ...Object.fromEntries(words.map((word) => word.split(/=(.*)/s))) } }
      case "WORKDIR":
        mkdirSync(join(stage.root, first), { recursive: true })
        return { workdir: posix.resolve(stage.workdir, first) }
      case "USER":
        return { user: first }
      case "EXPOSE":
        return {}
      case "STOPSIGNAL":
        return { stopSignal: first }
      case "ENTRYPOINT":
        return { entrypoint: exec(instruction) }
      case "CMD":
        return { command: exec(instruction) }
      case "HEALTHCHECK":
        return { healthcheck: exec(instruction, "CMD") }
      case "COPY":
        copy(stage, instruction, first, second)
        return {}
      case "RUN":
        execFileSync("sh", ["-ec", text], {
          cwd: join(stage.root, stage.workdir),
          env: { ...environment(), ...stage.args, ...stage.env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        return {}
      default:
        throw new Error(`${instruction.getKeyword()} is not known here`)
    }
  }

  function copy(stage: Stage, instruction: Instruction, source: string, target: string): void {
    const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : []
    const from = flags.find((flag) => flag.getName() === "from")?.getValue()
    if (flags.some((flag) => flag.getName() !== "from")) throw new Error("COPY has a flag that is not known here")
    const origin = from === undefined ? context : stages.find(({ name }) => name === from)?.root
    if (origin === undefined) throw new Error(`there is no stage ${from}`)
    const [begin, end] = [join(origin, source), join(stage.root, posix.resolve(stage.workdir, target))]
    if (!existsSync(begin)) throw new Error(`there is no ${source} to copy`)
    cpSync(begin, end, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) =>
        from !== undefined || path === context || !ignored(relative(context, path).replaceAll("\\", "/"))
    })
  }

  const last = stages.at(-1)
  if (last === undefined) throw new Error("there is no FROM")
  return last
}

/** A path of the image on this machine. */
export const inside = ({ root }: Image, path: string): string => path.startsWith("/") ? join(root, path) : path

/** What processes of the image get of this machine: the way to Node, and nothing else. */
export const environment = (): Record<string, string> => ({
  PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
  HOME: process.env["HOME"] ?? "/"
})

const scratch = {
  workdir: "/",
  user: "root",
  env: {},
  args: {},
  entrypoint: [],
  command: [],
  healthcheck: [],
  stopSignal: "SIGTERM"
}

/** Everything after the keyword and its flags, in one line. */
const rest = (instruction: Instruction): string => {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags().length : 0
  const text = (instruction.getArgumentsContent() ?? "").trim()
  return flags === 0 || instruction.getKeyword() === "HEALTHCHECK" ? text : text.replace(/^(--\S+\s+)+/, "")
}

const expanded = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`nothing says what ${name} is`)
    return value
  })

/** The words of a command that is started without a shell, which would not pass signals on. */
const exec = (instruction: Instruction, before = ""): ReadonlyArray<string> => {
  const text = rest(instruction).replace(/^(--\S+\s+)+/, "")
  if (!text.startsWith(`${before} [`.trim())) throw new Error(`${instruction.getKeyword()} is not written as a list`)
  return decodeWords(JSON.parse(text.slice(before.length)))
}

const decodeWords = Schema.decodeUnknownSync(Schema.Array(Schema.String))
