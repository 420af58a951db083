/**
 * What other packages may use of the command line: what an app is, the views of a log, and how a daemon is run.
 */
export * as App from "./App.ts"
export * as Daemon from "./Daemon.ts"
export * as Style from "./Style.ts"
export * as Trace from "./Trace.ts"
