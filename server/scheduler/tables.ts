export const tables = ["job_run_totals", "job_runs", "job_states", "timers"] as const
