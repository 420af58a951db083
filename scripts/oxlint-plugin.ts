/**
 * What oxlint has no rule for: syntax that a folder does without.
 *
 * `workspace/no-syntax` takes `{ selector: message }`, the selectors being those of ESLint's `no-restricted-syntax`.
 */

/** The part of oxlint's plugin API that is used here. */
interface Context {
  readonly options: ReadonlyArray<unknown>
  readonly report: (diagnostic: { readonly node: unknown; readonly message: string }) => void
}

const noSyntax = {
  meta: { type: "problem", schema: [{ type: "object", additionalProperties: { type: "string" } }] },
  create(context: Context) {
    const messages = Object.entries(Object(context.options[0]))
    return Object.fromEntries(messages.map(([selector, message]) => [
      selector,
      (node: unknown) => context.report({ node, message: String(message) })
    ]))
  }
}

export default { meta: { name: "workspace" }, rules: { "no-syntax": noSyntax } }
