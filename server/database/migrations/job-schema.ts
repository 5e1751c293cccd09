/** Raises the event of a run; `event` is the word after `job.`. */
const telling = (event: string) => `INSERT INTO events (type, at, context, run_id, data) VALUES
  ('job.' || ${event}, CAST(unixepoch('subsec') * 1000 AS INTEGER), (SELECT max(id) FROM event_contexts), NEW.run_id,
  json_object('job', NEW.job, 'trigger', NEW.cause,
    'scheduledFor', strftime('%Y-%m-%dT%H:%M:%fZ', NEW.scheduled_for / 1000.0, 'unixepoch'),
    'reason', NEW.reason, 'error', substr(NEW.error, 1, 1000)));`

/** Adds an ended run to the totals, since `job_runs` is pruned. */
const counting = "UPDATE job_run_totals SET runs = runs + 1 WHERE outcome = NEW.state;"

/**
 * Scheduled jobs: the time up to which each job was considered, and its runs. Each due time of a job is claimed once,
 * whatever the outcome of the claim. Triggers raise the events, so that each event is in the batch of its change.
 */
export const jobSchema: readonly string[] = [
  "CREATE TABLE job_states (job TEXT PRIMARY KEY, schedule TEXT NOT NULL, considered_at INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE job_runs (seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, job TEXT NOT NULL, cause TEXT NOT NULL, state TEXT NOT NULL, scheduled_for INTEGER NOT NULL, missed_from INTEGER, reason TEXT, error TEXT, runtime_id TEXT, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER)",
  "CREATE UNIQUE INDEX job_runs_due ON job_runs (job, scheduled_for) WHERE cause <> 'manual'",
  "CREATE INDEX job_runs_of_job ON job_runs (job, seq)",
  "CREATE INDEX job_runs_open ON job_runs (state, seq) WHERE state IN ('queued', 'running')",
  "CREATE TABLE job_run_totals (outcome TEXT PRIMARY KEY, runs INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
  "INSERT INTO job_run_totals (outcome) VALUES ('succeeded'), ('failed'), ('cancelled'), ('skipped')",
  `CREATE TRIGGER event_run_skipped AFTER INSERT ON job_runs WHEN NEW.state = 'skipped' BEGIN
    ${telling("'skipped'")} ${counting} END`,
  `CREATE TRIGGER event_run_changed AFTER UPDATE OF state ON job_runs WHEN NEW.state IS NOT OLD.state BEGIN
    ${telling("CASE NEW.state WHEN 'running' THEN 'started' ELSE NEW.state END")} ${counting} END`,
]
