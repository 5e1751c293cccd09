export const tables = [
  "agent_approvals",
  "agent_members",
  "agent_run_totals",
  "agent_runs",
  "agent_spending",
  "agent_steps",
  "message_index",
] as const
