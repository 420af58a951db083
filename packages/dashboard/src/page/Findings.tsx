/**
 * What guardrails found out, for the person who is asked.
 */
import type { Doubt, Finding } from "./Evidence.ts"
import { Foreign, Value } from "./parts.tsx"
import { spaced } from "./Text.ts"

export const Doubts = ({ doubts }: { readonly doubts: ReadonlyArray<Doubt> }) => (
  <ul class="doubts">
    {doubts.map((doubt, index) => (
      <li key={index}>
        <p>
          <strong>
            <Foreign text={spaced(doubt.rule).replaceAll("_", " ")} />
          </strong>
          {doubt.isTriedOut && " (only tried out: it changes nothing)"}
          {doubt.findings.length === 0 && (
            <>
              : <Foreign text={doubt.message} />
            </>
          )}
        </p>
        {doubt.findings.length > 0 && (
          <ul>{doubt.findings.map((finding, at) => <FindingItem key={at} finding={finding} />)}</ul>
        )}
      </li>
    ))}
  </ul>
)

const FindingItem = ({ finding }: { readonly finding: Finding }) => {
  const { argument, entry, isOrder, quote, source, values } = finding
  const says = finding.says.join(" ")
  return (
    <li>
      <p>
        {argument !== "" && (
          <>
            <strong>
              <Foreign text={argument} />
            </strong>
            {values.slice(0, 3).map((value) => (
              <span key={value}>
                {" "}
                <q>
                  <Foreign text={value.slice(0, 300).toWellFormed()} />
                </q>
              </span>
            ))}
          </>
        )}
        {isOrder || source === undefined
          ? `${argument === "" ? "" : ": "}${says}`
          : (
            <>
              {argument !== "" && " comes from "}
              <Foreign text={source} />
              {quote === undefined ? `. ${says}` : ":"}
            </>
          )}
      </p>
      {isOrder && source !== undefined && (
        <p>
          But <Foreign text={source} /> tells its reader to do this{quote === undefined ? "." : ":"}
        </p>
      )}
      {quote !== undefined && (
        <blockquote>
          <Foreign text={quote.before} />
          <mark>
            <Foreign text={quote.passage} />
          </mark>
          <Foreign text={quote.after} />
        </blockquote>
      )}
      {quote !== undefined && !isOrder && <p>{says}</p>}
      {entry?.output !== undefined && (
        <details>
          <summary>All that this call returned</summary>
          <Value value={entry.output} />
        </details>
      )}
    </li>
  )
}
