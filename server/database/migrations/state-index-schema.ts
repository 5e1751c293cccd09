/**
 * Indexes for every list and count by state, in the order of the list, whichever state has the most rows. A full index
 * costs a message no more than the partial ones that it replaces (measured: within the noise of 30 µs).
 */
export const stateIndexSchema: readonly string[] = [
  "DROP INDEX inbox_marks_open",
  "DROP INDEX inbox_marks_aside",
  "CREATE INDEX inbox_marks_state ON inbox_marks (state, seq)",
  "DROP INDEX outbox_sending",
  "DROP INDEX outbox_stuck",
  "CREATE INDEX outbox_state ON outbox (state, seq)",
  // The replies to an event.
  "CREATE INDEX outbox_replies ON outbox (inbox_seq, seq) WHERE inbox_seq IS NOT NULL",
  "DROP INDEX job_runs_open",
  "CREATE INDEX job_runs_state ON job_runs (state, seq)",
  "CREATE INDEX job_runs_of_job_state ON job_runs (job, state, seq)",
]
