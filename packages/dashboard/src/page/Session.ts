/**
 * Who uses the page, and what everything on it needs.
 */
import type { Identity } from "@durable-agents/server/Api"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { type Client, make } from "./Client.ts"

export interface Session {
  readonly client: Client
  readonly identity: Identity
  /** Says something to those who listen to the page instead of looking at it. */
  readonly announce: (text: string) => void
}

export type Role = Identity["roles"][number]

/** Whether the caller has one of these roles. */
export const may = ({ identity }: Session, ...roles: ReadonlyArray<Role>): boolean =>
  identity.roles.some((role) => roles.includes(role))

export const SessionContext = createContext<Session>({
  client: make(undefined),
  identity: { name: "", roles: [] },
  announce: () => {}
})

export const useSession = (): Session => useContext(SessionContext)

const item = "durable-agents token"

/** The token of this tab. It is gone when the tab is closed. */
export const token = {
  get: (): string | undefined => sessionStorage.getItem(item) ?? undefined,
  set: (value: string) => sessionStorage.setItem(item, value),
  clear: () => sessionStorage.removeItem(item)
}
