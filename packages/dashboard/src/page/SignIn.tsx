/**
 * Asks for a bearer token: at first, and again when it opens nothing any more.
 */
import { useRef, useState } from "preact/hooks"
import { Foreign, Heading, Labelled } from "./parts.tsx"

export const SignIn = ({ again, onLeave, onToken, refused }: {
  /** Who was here until now. */
  readonly again: string | undefined
  readonly refused: boolean
  readonly onToken: (token: string) => void
  readonly onLeave: () => void
}) => {
  const field = useRef<HTMLInputElement>(null)
  const [isOdd, setOdd] = useState(false)
  return (
    <main class="signin">
      <Heading>{again === undefined ? "Sign in" : "Sign in again"}</Heading>
      {again !== undefined ?
        (
          <p class="notice care" role="alert">
            You were signed in as{" "}
            <Foreign text={again} />. That has ended: the token may have been revoked, or has run out. What you have
            typed is still there when you come back under the same name.
          </p>
        ) :
        (refused || isOdd) && (
          <p class="notice bad" role="alert">
            This token opens nothing. It may have been revoked.
          </p>
        )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const token = field.current?.value.trim() ?? ""
          // What no header can carry was never a token; to send it would look as if nobody answered.
          const isToken = /^[!-~]+$/.test(token)
          setOdd(!isToken)
          if (isToken) onToken(token)
        }}
      >
        <Labelled label="Token" about="Kept in this tab until you sign out or close it.">
          {(ids) => <input {...ids} ref={field} type="password" autoComplete="off" required spellcheck={false} />}
        </Labelled>
        <div class="buttons">
          <button type="submit" class="good">Sign in</button>
          {again !== undefined && <button type="button" onClick={onLeave}>Leave</button>}
        </div>
      </form>
    </main>
  )
}
