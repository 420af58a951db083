/**
 * Asks for a bearer token.
 */
import { useRef } from "preact/hooks"
import { Heading, Labelled } from "./parts.tsx"

export const SignIn = (
  { onToken, refused }: { readonly onToken: (token: string) => void; readonly refused: boolean }
) => {
  const field = useRef<HTMLInputElement>(null)
  return (
    <main class="signin">
      <Heading>Sign in</Heading>
      {refused && <p class="notice bad" role="alert">This token opens nothing. It may have been revoked.</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const token = field.current?.value.trim() ?? ""
          if (token !== "") onToken(token)
        }}
      >
        <Labelled label="Token" about="Kept in this tab until you sign out or close it.">
          {(ids) => <input {...ids} ref={field} type="password" autoComplete="off" required spellcheck={false} />}
        </Labelled>
        <button type="submit" class="good">Sign in</button>
      </form>
    </main>
  )
}
