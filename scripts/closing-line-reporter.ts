import type { Reporter, SerializedError, TestModule } from "vitest/node"

/**
 * Ends a run with one plain line, `N passed, N failed`, and `, N skipped` where some were.
 *
 * A file that does not load, a suite whose hooks fail and an error outside of any test count as one failure each. A run
 * that fails without any of these (no tests found, broken off) has one failure too.
 */
export class ClosingLineReporter implements Reporter {
  #passed = 0
  #failed = 0
  #skipped = 0
  #ended = false

  onInit() {
    // Other reporters and the shutdown of vitest also print at the end of a run: only the exit of the process is later.
    process.once("exit", (code) => {
      const failed = code === 0 && this.#ended ? this.#failed : Math.max(1, this.#failed)
      const skipped = this.#skipped === 0 ? "" : `, ${this.#skipped} skipped`
      process.stdout.write(`${this.#passed} passed, ${failed} failed${skipped}\n`)
    })
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>) {
    this.#ended = true
    this.#passed = this.#skipped = 0
    this.#failed = unhandled.length
    for (const module of modules) {
      this.#failed += module.errors().length
      for (const suite of module.children.allSuites()) this.#failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === "passed") this.#passed++
        else if (state === "failed") this.#failed++
        else this.#skipped++
      }
    }
  }
}
