export const tables = [
  "agent_approvals",
  "agent_mcp_tools",
  "agent_members",
  "agent_memories",
  "agent_run_totals",
  "agent_runs",
  "agent_spending",
  "agent_steps",
  "memory_index",
  "message_index",
] as const
