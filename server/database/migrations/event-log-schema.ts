/** Now, in milliseconds since 1970. */
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

const isoOf = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`

/** The run and generation that an event is stamped with: the newest ones. */
const context = "(SELECT max(id) FROM event_contexts)"

interface Telling {
  /** SQL expressions over the trigger's row. */
  readonly type: string
  readonly at: string
  readonly endpoint: string
  readonly data: string
}

const telling = ({type, at, endpoint, data}: Telling) =>
  `INSERT INTO events (type, at, context, endpoint, data) VALUES (${type}, ${at}, ${context}, ${endpoint}, ${data});`

const trigger = (name: string, on: string, ...body: readonly string[]) =>
  `CREATE TRIGGER ${name} AFTER ${on} BEGIN ${body.join(" ")} END`

const mark = telling({
  type: "'message.' || NEW.state",
  at: now,
  endpoint: "(SELECT endpoint FROM inbox WHERE seq = NEW.seq)",
  data: "json_object('sn', NEW.seq, 'handler', NEW.handler, 'attempt', NEW.attempt, 'error', substr(NEW.error, 1, 1000))",
})

const outgoing = telling({
  type: "CASE NEW.state WHEN 'sent' THEN 'message.sent' WHEN 'unknown' THEN 'message.unknown' ELSE 'message.send_' || NEW.state END",
  at: now,
  endpoint: "NEW.endpoint",
  data: "json_object('message', NEW.id, 'attempt', NEW.attempt, 'sn', NEW.inbox_seq, 'reason', NEW.reason, 'error', substr(NEW.error, 1, 1000))",
})

const gap = `'from', ${isoOf("NEW.from_at")}, 'to', ${isoOf("NEW.to_at")}, 'reason', NEW.reason`

const planned = "'planned', json(iif(NEW.reason = 'host_stopped', 'true', 'false'))"

const gapEnds = (members: string): string =>
  trigger(
    "event_gap",
    "UPDATE OF to_at ON endpoint_gaps WHEN OLD.to_at IS NULL AND NEW.to_at IS NOT NULL",
    telling({type: "'endpoint.gap'", at: "NEW.to_at", endpoint: "NEW.endpoint", data: `json_object(${members})`}),
  )

const markStates = ["handled", "failed", "dead", "held", "discarded"]
const outboxStates = ["sent", "failed", "dead", "unknown", "held", "discarded"]

/** The triggers of rows that enter one of these states. */
const stateTriggers = (name: string, table: string, states: readonly string[], body: string): readonly string[] => {
  const isTold = `NEW.state IN (${states.map(state => `'${state}'`).join(", ")})`
  return [
    trigger(`${name}_made`, `INSERT ON ${table} WHEN ${isTold}`, body),
    trigger(name, `UPDATE OF state ON ${table} WHEN ${isTold} AND NEW.state IS NOT OLD.state`, body),
  ]
}

/**
 * The event log, and triggers that raise the events of rows that change in bulk or by many statements. A trigger puts
 * each event into the batch of its change, whoever changes the row. Events never contain the text of a message.
 */
export const eventLogSchema: readonly string[] = [
  "CREATE TABLE event_contexts (id INTEGER PRIMARY KEY, runtime_id TEXT NOT NULL, generation INTEGER NOT NULL)",
  "INSERT INTO event_contexts (id, runtime_id, generation) VALUES (0, '', 0)",
  "CREATE TABLE events (offset INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, at INTEGER NOT NULL, context INTEGER NOT NULL, endpoint TEXT, run_id TEXT, data TEXT NOT NULL)",
  // How far retention has counted and deleted: every event up to `evicted_to` is deleted.
  "CREATE TABLE event_retention (id INTEGER PRIMARY KEY CHECK (id = 1), evicted_to INTEGER NOT NULL, counted_to INTEGER NOT NULL, bytes INTEGER NOT NULL)",
  "INSERT INTO event_retention (id, evicted_to, counted_to, bytes) VALUES (1, 0, 0, 0)",
  trigger(
    "event_run",
    "INSERT ON svc_runs",
    "INSERT INTO event_contexts (runtime_id, generation) VALUES (NEW.runtime_id, 0);",
  ),
  trigger(
    "event_generation",
    "INSERT ON generations",
    "INSERT INTO event_contexts (runtime_id, generation) VALUES (NEW.runtime_id, NEW.number);",
    telling({
      type: "'generation.committed'",
      at: "NEW.committed_at",
      endpoint: "NULL",
      data: "json_object('number', NEW.number, 'reason', NEW.reason, 'plugins', (SELECT json_group_array(key) FROM json_each(NEW.plugins)))",
    }),
  ),
  gapEnds(gap),
  trigger(
    "event_received",
    "INSERT ON inbox",
    telling({
      type: "'message.received'",
      at: "NEW.received_at",
      endpoint: "NEW.endpoint",
      data: "json_object('sn', NEW.seq, 'type', NEW.type)",
    }),
  ),
  ...stateTriggers("event_mark", "inbox_marks", markStates, mark),
  ...stateTriggers("event_outbox", "outbox", outboxStates, outgoing),
]

/** The event of a gap also says whether the gap was planned: see `isPlanned`. */
export const plannedGapSchema: readonly string[] = ["DROP TRIGGER event_gap", gapEnds(`${gap}, ${planned}`)]

/** A gap says how much of it was fetched from the platform's history; null if the history was not asked. */
export const filledGapSchema: readonly string[] = [
  "ALTER TABLE endpoint_gaps ADD COLUMN backfill TEXT",
  "DROP TRIGGER event_gap",
  gapEnds(`${gap}, ${planned}, 'backfill', NEW.backfill`),
]

/** Age limits: see `expired`. */
export const ageSchema: readonly string[] = [
  // 1 once a person had the handler run again: then it runs at any age.
  "ALTER TABLE inbox_marks ADD COLUMN any_age INTEGER NOT NULL DEFAULT 0",
  // In milliseconds since 1970; NULL without `notAfter`.
  "ALTER TABLE outbox ADD COLUMN not_after INTEGER",
  // Since when a platform without times may have kept the event, in milliseconds since 1970.
  "ALTER TABLE inbox ADD COLUMN kept_since INTEGER",
  // From when its age counts, if that is not its creation: when a scheduled message was due.
  "ALTER TABLE outbox ADD COLUMN aged_from INTEGER",
  "ALTER TABLE outbox ADD COLUMN important INTEGER NOT NULL DEFAULT 0",
  "CREATE INDEX outbox_important ON outbox (seq) WHERE important = 1",
  // The ended pauses of ingress that do not count as age, in milliseconds since 1970.
  "CREATE TABLE ingress_pauses (from_at INTEGER PRIMARY KEY, to_at INTEGER NOT NULL) WITHOUT ROWID",
  ...["event_mark_made", "event_mark", "event_outbox_made", "event_outbox"].map(name => `DROP TRIGGER ${name}`),
  ...stateTriggers("event_mark", "inbox_marks", [...markStates, "expired"], mark),
  ...stateTriggers("event_outbox", "outbox", [...outboxStates, "expired"], outgoing),
]
