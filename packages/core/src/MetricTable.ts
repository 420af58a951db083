/**
 * The metrics of processes that start and execute runs: names, units, labels and meanings.
 */
import { counter, gauge, histogram } from "./Instrument.ts"

const seconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const longSeconds = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800]

/**
 * By what they measure. The last five are of the store, and everybody who measures them sees the same.
 *
 * @category constants
 * @since 0.1.0
 */
export const table = {
  started: counter("durable_agents_runs_started_total", {
    unit: "{run}",
    labels: ["program"],
    description: "Runs that were started here"
  }),
  claims: counter("durable_agents_claims_total", {
    unit: "{claim}",
    labels: ["program", "takeover"],
    description: "Leases of runs that were taken; a takeover is from a worker that did not give the run back"
  }),
  executing: gauge("durable_agents_runs_executing", {
    unit: "{run}",
    labels: ["program"],
    description: "Runs that are being executed in this process"
  }),
  losses: counter("durable_agents_lease_losses_total", {
    unit: "{lease}",
    labels: ["program"],
    description: "Executions that ended because the lease was lost, or could not be confirmed in time"
  }),
  recoveries: counter("durable_agents_recoveries_total", {
    unit: "{recovery}",
    labels: ["program"],
    description: "Runs that were taken over from a worker that died or was silent"
  }),
  ended: counter("durable_agents_runs_ended_total", {
    unit: "{run}",
    labels: ["program", "status", "code"],
    description: "Runs that ended; the code says why they failed"
  }),
  durations: histogram("durable_agents_run_duration_seconds", {
    unit: "s",
    labels: ["program", "status"],
    description: "From when a run was to begin to its end, waiting included",
    boundaries: longSeconds
  }),
  active: histogram("durable_agents_run_active_seconds", {
    unit: "s",
    labels: ["program", "status"],
    description: "The same without the time in which the run rested",
    boundaries: longSeconds
  }),
  stuck: counter("durable_agents_stuck_total", {
    unit: "{run}",
    labels: ["program", "reason"],
    description: "Times that a run was parked until an operator releases it"
  }),
  attempts: histogram("durable_agents_operation_duration_seconds", {
    unit: "s",
    labels: ["program", "kind", "outcome"],
    description: "How long attempts of operations took",
    boundaries: seconds
  }),
  failures: counter("durable_agents_failures_total", {
    unit: "{attempt}",
    labels: ["program", "kind", "code"],
    description: "Attempts of operations that failed, and operations that were refused"
  }),
  retries: counter("durable_agents_retries_total", {
    unit: "{attempt}",
    labels: ["program", "kind", "code"],
    description: "Attempts of operations after the first; the code is that of the failure before"
  }),
  unknown: counter("durable_agents_unknown_outcomes_total", {
    unit: "{operation}",
    labels: ["program", "kind", "policy"],
    description: "Operations of which nobody knows whether they happened: recorded as such, or waiting for an operator"
  }),
  tokens: counter("durable_agents_model_tokens_total", {
    unit: "{token}",
    labels: ["program", "model", "type"],
    description: "Tokens of model calls, as providers report them; cached ones are part of input, reasoning of output"
  }),
  spend: counter("durable_agents_model_cost_usd_total", {
    unit: "USD",
    labels: ["program", "model"],
    description: "What model calls cost, as far as it is known"
  }),
  unpriced: counter("durable_agents_model_unpriced_calls_total", {
    unit: "{call}",
    labels: ["program", "model"],
    description: "Answered model calls whose cost is not known, and not in the sum of costs"
  }),
  budgetStops: counter("durable_agents_budget_stops_total", {
    unit: "{operation}",
    labels: ["program", "limit"],
    description: "Operations that a budget did not let begin"
  }),
  verdicts: counter("durable_agents_guardrail_verdicts_total", {
    unit: "{verdict}",
    labels: ["program", "action", "shadow"],
    description: "Verdicts of guardrails by what they did, or would have done in shadow mode"
  }),
  due: gauge("durable_agents_runs_due", {
    unit: "{run}",
    labels: [],
    description: "Runs that wait for a worker; 1000 means at least so many"
  }),
  longestDue: gauge("durable_agents_run_longest_due_seconds", {
    unit: "s",
    labels: [],
    description: "For how long the run has been due that has waited for a worker for the longest"
  }),
  approvals: gauge("durable_agents_approvals_waiting", {
    unit: "{approval}",
    labels: [],
    description: "Approvals that wait for a decision; 1000 means at least so many"
  }),
  approvalAge: gauge("durable_agents_approval_oldest_seconds", {
    unit: "s",
    labels: [],
    description: "How long the oldest of them has been waiting"
  }),
  stuckNow: gauge("durable_agents_stuck_waiting", {
    unit: "{run}",
    labels: [],
    description: "Runs that an operator has to release; 1000 means at least so many"
  })
}
