/**
 * The page: who is there, where they are, and what is said aloud.
 */
import { render } from "preact"
import { useCallback, useEffect, useMemo, useState } from "preact/hooks"
import { Approvals } from "./Approvals.tsx"
import { make } from "./Client.ts"
import { useLoaded } from "./hooks.ts"
import { Foreign, Problem } from "./parts.tsx"
import { href, parse, type Route } from "./Route.ts"
import { Runs } from "./Runs.tsx"
import { RunView } from "./RunView.tsx"
import { isSignedOut, SessionContext, token } from "./Session.ts"
import { SignIn } from "./SignIn.tsx"
import { Start } from "./Start.tsx"

const Page = () => {
  const [secret, setSecret] = useState(token.get)
  const client = useMemo(() => make(secret), [secret])
  const me = useLoaded(`me ${secret ?? ""}`, () => client.desk.me(), 30)
  const [said, setSaid] = useState("")
  const announce = useCallback((text: string) => setSaid(text), [])
  const signIn = (next: string | undefined) => {
    if (next === undefined) token.clear()
    else token.set(next)
    setSecret(next)
  }
  const identity = me.value
  if (isSignedOut(me.failure)) return <SignIn refused={secret !== undefined} onToken={signIn} />
  if (identity === undefined) {
    return (
      <main>{me.failure === undefined ? <p>Loading…</p> : <Problem failure={me.failure} retry={me.reload} />}</main>
    )
  }
  return (
    <SessionContext.Provider value={{ client, identity, announce }}>
      <Shell name={identity.name} onSignOut={secret === undefined ? undefined : () => signIn(undefined)} />
      <div class="unseen" aria-live="polite">{said}</div>
    </SessionContext.Provider>
  )
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

const Shell = ({ name, onSignOut }: { readonly name: string; readonly onSignOut: (() => void) | undefined }) => {
  const route = useRoute()
  useEffect(() => void (document.title = `${titles[route._tag]} · durable-agents`), [route._tag])
  return (
    <>
      <header>
        <span class="brand">durable-agents</span>
        <nav aria-label="Pages">
          {places.map(([label, to]) => (
            <a key={label} href={href(to)} aria-current={to._tag === route._tag ? "page" : undefined}>{label}</a>
          ))}
        </nav>
        <span class="who">
          <Foreign text={name} />
          {onSignOut !== undefined && <button type="button" onClick={onSignOut}>Sign out</button>}
        </span>
      </header>
      <main>
        <View key={route._tag === "Run" ? route.runId : route._tag} route={route} />
      </main>
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
