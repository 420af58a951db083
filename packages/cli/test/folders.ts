/**
 * Folders that live as long as the tests of a file.
 */
import { afterAll } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folders: Array<string> = []

/** A folder for this file of tests, which is removed after them. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "durable-agents-cli-"))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
