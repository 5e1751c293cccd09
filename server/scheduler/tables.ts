/** The tables of this room: only its SQL names them. */
export const tables = ["job_run_totals", "job_runs", "job_states", "timers"] as const
