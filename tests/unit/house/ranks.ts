interface Rank {
  readonly rank: number
  /** Within a rank, folders come in steps; folders of one step do not import each other. */
  readonly steps: readonly (readonly string[])[]
}

/** A folder imports itself, lower ranks, and earlier steps of the same rank. */
export const ranks: readonly Rank[] = [
  {rank: 0, steps: [["shared"]]},
  {rank: 1, steps: [["server/runtime"], ["server/config", "server/database", "server/logs"], ["server/metrics"]]},
  {rank: 2, steps: [["server/events"]]},
  {rank: 3, steps: [["server/endpoints"], ["server/outbox"], ["server/inbox"]]},
  {rank: 4, steps: [["server/plugins", "server/messages"]]},
  {rank: 5, steps: [["server/generation"]]},
  {rank: 6, steps: [["server/workroom", "server/scheduler"]]},
  {rank: 7, steps: [["server/agents"], ["server/capacity"]]},
  {rank: 8, steps: [["server/recovery"]]},
  {rank: 9, steps: [["server/http", "server/console"]]},
  {rank: 10, steps: [["server/project"], ["server/host", "server/process"], ["server/testing"]]},
  {rank: 11, steps: [["server/doctor"]]},
  {rank: 12, steps: [["cli"]]},
  {rank: 13, steps: [["scripts"]]},
]
