/** The tables of this room: only its SQL names them. */
export const tables = [
  "agent_approvals",
  "agent_run_totals",
  "agent_runs",
  "agent_spending",
  "agent_steps",
  "message_index",
] as const
