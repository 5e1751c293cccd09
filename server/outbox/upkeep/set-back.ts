import type {Statement} from "../../database/database.ts"

/** Moves the times of waiting messages back, in milliseconds: the clock was set back. */
export const settingBack = (back: number, now: number): readonly Statement[] => [
  {sql: "UPDATE outbox SET not_before = not_before - ? WHERE state = 'queued' AND not_before > 0", args: [back]},
  {
    sql: `UPDATE outbox SET aged_from = coalesce(aged_from, created_at) - ?1, not_after = not_after - ?1
      WHERE state IN ('queued', 'sending', 'unknown') AND coalesce(aged_from, created_at) > ?2`,
    args: [back, now],
  },
]
