/** Events after which a binding or its figures may have changed. */
export const bindingEvents = [
  "agent.run_queued",
  "agent.run_started",
  "agent.run_waiting",
  "agent.run_held",
  "agent.run_succeeded",
  "agent.run_failed",
  "agent.run_cancelled",
  "generation.",
]

/** Events after which an approval may have changed. */
export const approvalEvents = [
  "agent.approval_asked",
  "agent.approval_waiting",
  "agent.approval_held",
  "agent.approval_approved",
  "agent.approval_denied",
  "agent.approval_expired",
  "agent.approval_cancelled",
]

/** Events that end a run. */
export const runEnds = ["agent.run_succeeded", "agent.run_failed", "agent.run_cancelled"]
