/**
 * The HTTP API: its definition, and what answers it.
 */

// For clients
export { Api } from "./Api.ts"
export * as EventModel from "./EventModel.ts"
export * as Problem from "./Problem.ts"
export * as RunModel from "./RunModel.ts"

// For servers
export { LocalUser } from "./Access.ts"
export { type Definition, Definitions } from "./Definitions.ts"
export { Authentication, CurrentIdentity, Identity } from "./Identity.ts"
export { ApprovalPolicy, StartPolicy, type Verdict } from "./Policy.ts"
export * as Server from "./Server.ts"
export { OpenToAll } from "./Server.ts"
export { ServerSettings } from "./Settings.ts"
