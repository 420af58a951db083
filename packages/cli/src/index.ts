/**
 * What other packages may use of the command line: the views of a log.
 */
export * as Style from "./Style.ts"
export * as Trace from "./Trace.ts"
