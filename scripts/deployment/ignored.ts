/**
 * What a .dockerignore keeps out of an image.
 */
/** The last pattern that names a path, or a folder around it, says whether it is kept out; `!` lets in again. */
export const readIgnored = (file: string): (path: string) => boolean => {
  const patterns = file.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ out: !line.startsWith("!"), names: expression(line.replace(/^!/, "").replace(/^\/|\/$/g, "")) }))
  return (path) => {
    const parts = path.split("/")
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join("/"))
    return patterns.reduce((out, pattern) => paths.some((at) => pattern.names.test(at)) ? pattern.out : out, false)
  }
}

/** As Docker reads it: `*` is within one name, also one that begins with a dot, and `**` is any number of folders. */
const expression = (pattern: string): RegExp =>
  new RegExp(`^${
    pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*\*\/|\*\*|\*|\?/g, (found) => wild[found] ?? found)
  }$`)

const wild: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" }
