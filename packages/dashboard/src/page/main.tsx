/**
 * The page: who is there, where they are, how the server is reached, and what is said aloud.
 */
import type { Identity } from "@durable-agents/server/Api"
import { render } from "preact"
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Approvals } from "./Approvals.tsx"
import { type Contact, make } from "./Client.ts"
import { useLoaded } from "./hooks.ts"
import { Foreign, Problem, Time } from "./parts.tsx"
import { href, parse, type Route } from "./Route.ts"
import { Runs } from "./Runs.tsx"
import { RunView } from "./RunView.tsx"
import { may, SessionContext, token, useSession } from "./Session.ts"
import { SignIn } from "./SignIn.tsx"
import { Start } from "./Start.tsx"
import { zone } from "./Text.ts"

const Page = () => {
  const [secret, setSecret] = useState(token.get)
  const { isSignedOut, lostAt, tell } = useContact(secret)
  const client = useMemo(() => make(secret, tell), [secret])
  const me = useLoaded(`me ${secret ?? ""}`, () => client.desk.me(), 30)
  const { announce, said } = useAnnouncements()
  // Who was here last: while they sign in again, what they were doing stays.
  const [known, setKnown] = useState<Identity>()
  useEffect(() => {
    if (me.value !== undefined) setKnown(me.value)
  }, [me.value])
  const identity = me.value ?? known
  const session = useMemo(
    () => identity === undefined ? undefined : { client, identity, announce },
    [client, identity, announce]
  )
  const signIn = (next: string) => {
    token.set(next)
    setSecret(next)
  }
  const signOut = () => {
    token.clear()
    setKnown(undefined)
    setSecret(undefined)
  }
  const door = <SignIn refused={secret !== undefined} again={known?.name} onToken={signIn} onLeave={signOut} />
  if (session === undefined) {
    return isSignedOut
      ? door
      : <main>{me.failure === undefined ? <p>Loading…</p> : <Problem failure={me.failure} retry={me.reload} />}</main>
  }
  return (
    <SessionContext.Provider value={session}>
      {isSignedOut && door}
      <div hidden={isSignedOut}>
        <div class="lost" role="status">
          {lostAt !== undefined && (
            <p>
              The server cannot be reached since <Time at={lostAt} />. What you see is as it was then. Trying again…
            </p>
          )}
        </div>
        <Shell key={session.identity.name} onSignOut={secret === undefined ? undefined : signOut} />
      </div>
      <div class="unseen" aria-live="polite">{said}</div>
    </SessionContext.Provider>
  )
}

/** How the server is reached, as the requests of the page find out. */
const useContact = (secret: string | undefined) => {
  const [state, setState] = useState<{ readonly secret: string | undefined; readonly signedOut: boolean }>({
    secret,
    signedOut: false
  })
  const [lostAt, setLostAt] = useState<number>()
  const tell = (contact: Contact, at: number) => {
    const signedOut = contact === "signedOut"
    // Every answer is heard of; the page is drawn again by those alone that say something new.
    setState((before) => before.secret === secret && before.signedOut === signedOut ? before : { secret, signedOut })
    setLostAt((before) => contact === "unreachable" ? before ?? at : undefined)
  }
  const isSignedOut = state.secret === secret && state.signedOut
  const before = useRef(isSignedOut)
  useEffect(() => {
    // Who has signed in again goes on where they were.
    if (before.current && !isSignedOut) document.querySelector("h1")?.focus()
    before.current = isSignedOut
  }, [isSignedOut])
  return { tell, lostAt, isSignedOut }
}

/** What is said twice is heard twice: each text is another one for those who listen. */
const useAnnouncements = () => {
  const [said, setSaid] = useState("")
  const announce = useCallback(
    (text: string) => setSaid((before) => before === text ? `${text}\u00a0` : text),
    []
  )
  return { said, announce }
}

const places: ReadonlyArray<readonly [name: string, route: Route]> = [
  ["Approvals", { _tag: "Approvals" }],
  ["Runs", { _tag: "Runs", filters: {} }],
  ["Start", { _tag: "Start" }]
]

const titles: { readonly [Tag in Route["_tag"]]: string } = {
  Approvals: "Approvals",
  Runs: "Runs",
  Run: "Run",
  Start: "Start a run"
}

const Shell = ({ onSignOut }: { readonly onSignOut: (() => void) | undefined }) => {
  const session = useSession()
  const route = useRoute()
  useEffect(() => void (document.title = `${titles[route._tag]} · durable-agents`), [route._tag])
  return (
    <>
      <header>
        <span class="brand">durable-agents</span>
        <nav aria-label="Pages">
          {places.filter(([, { _tag }]) => _tag !== "Start" || may(session, "starter")).map(([label, to]) => (
            <a key={label} href={href(to)} aria-current={to._tag === route._tag ? "page" : undefined}>{label}</a>
          ))}
        </nav>
        <span class="who">
          <Foreign text={session.identity.name} />
          {onSignOut !== undefined && <button type="button" onClick={onSignOut}>Sign out</button>}
        </span>
      </header>
      <main>
        <View key={route._tag === "Run" ? route.runId : route._tag} route={route} />
      </main>
      <footer>Times are those of this device: {zone()}</footer>
    </>
  )
}

const View = ({ route }: { readonly route: Route }) => {
  switch (route._tag) {
    case "Approvals":
      return <Approvals runId={route.runId} approval={route.key} />
    case "Runs":
      return <Runs filters={route.filters} />
    case "Run":
      return <RunView runId={route.runId} />
    case "Start":
      return <Start />
  }
}

const useRoute = (): Route => {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return useMemo(() => parse(hash), [hash])
}

const page = document.getElementById("page")
if (page !== null) render(<Page />, page)
