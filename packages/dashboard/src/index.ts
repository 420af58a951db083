/**
 * A web page for people who decide, look and operate; it talks to the HTTP API of the server that serves it.
 */
export * as Dashboard from "./Dashboard.ts"
