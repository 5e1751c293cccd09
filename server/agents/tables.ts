export const tables = [
  "agent_approvals",
  "agent_mcp_tools",
  "agent_members",
  "agent_memories",
  "agent_run_totals",
  "agent_runs",
  "agent_said",
  "agent_spending",
  "agent_steps",
  "agent_vectors",
  "memory_index",
  "message_index",
] as const
