/**
 * What the browser is to say about a control, which keeps its form from being sent.
 */
import { useLayoutEffect, useRef } from "preact/hooks"

export const useValidity = <E extends HTMLInputElement | HTMLTextAreaElement>(message: string) => {
  const ref = useRef<E>(null)
  useLayoutEffect(() => ref.current?.setCustomValidity(message), [message])
  return ref
}
