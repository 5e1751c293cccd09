/** The shares of the states in the rows of a backlog, oldest first. */
export type Shares = Readonly<Record<string, number>>

export interface Backlog {
  /** The number of events in the inbox, and of messages in the outbox. */
  readonly rows: number
  readonly marks: Shares
  readonly messages: Shares
  /** The number of runs of jobs, of gaps and of events in the log, each. */
  readonly others: number
}

/** The newest rows are in rare states: a list of any other state that walks backwards meets all of these first. */
export const endedBacklog = (rows: number, others: number): Backlog => ({
  rows,
  others,
  marks: {handled: 0.4, failed: 0.15, dead: 0.15, held: 0.15, discarded: 0.15},
  messages: {sent: 0.4, failed: 0.12, dead: 0.12, unknown: 0.12, held: 0.12, discarded: 0.12},
})

/** Includes open rows, which a Host would run at startup. */
export const openBacklog = (rows: number): Backlog => ({
  rows,
  others: rows,
  marks: {handled: 0.3, failed: 0.1, dead: 0.1, held: 0.1, pending: 0.2, running: 0.1, discarded: 0.1},
  messages: {sent: 0.2, failed: 0.1, dead: 0.1, unknown: 0.1, held: 0.1, queued: 0.2, sending: 0.1, discarded: 0.1},
})

/** An event and its reply, as `backlogStatements` makes them. */
export const numbered = (seq: number) => ({
  seq,
  eventId: `event-${seq}`,
  messageId: `message-${seq}`,
  runId: `run-${seq}`,
  timerId: `timer-${seq}`,
  agentRunId: `agent-run-${seq}`,
})

export const backlogJob = "nightly"

export const backlogAgent = "writer"

const handler = "root/greeter/handler/message-created"

const stateAt = (shares: Shares, rows: number): string => {
  let upTo = 0
  const cases = Object.entries(shares).map(([state, share]) => {
    upTo += share
    return `WHEN n <= ${Math.round(upTo * rows)} THEN '${state}'`
  })
  return `CASE ${cases.join(" ")} ELSE '${Object.keys(shares).at(-1)}' END`
}

/**
 * Statements that fill the tables of a database with messages, jobs and gaps of the last hours; run them in order. They
 * disable the triggers: `triggers` are the rows of sqlite_master with names and SQL.
 */
export const backlogStatements = (
  {rows, marks, messages, others}: Backlog,
  triggers: readonly {readonly name: string; readonly sql: string}[],
  now = Date.now(),
): readonly string[] => {
  const first = now - 36_000_000
  const series = (count: number) =>
    `WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${count})`
  const time = (count: number) => `CAST(${first} + n * ${36_000_000 / (count + 1)} AS INTEGER)`
  const at = time(rows)
  return [
    ...triggers.map(({name}) => `DROP TRIGGER ${name}`),
    `${series(rows)} INSERT INTO inbox (seq, endpoint, event_id, conversation, type, received_at, event)
      SELECT n, 'sandbox', 'event-' || n, 'sandbox/channel-' || (n % 1000), 'message-created', ${at},
        json_object('type', 'message-created', 'timestamp', ${at}, 'login', json_object('sn', 1, 'status', 1, 'adapter', 'sandbox'),
          'channel', json_object('id', 'channel-' || (n % 1000), 'type', 0), 'user', json_object('id', 'user-' || (n % 5000)),
          'message', json_object('id', 'event-' || n, 'content', 'the text of message ' || n)) FROM series`,
    `${series(rows)} INSERT INTO inbox_marks (seq, handler, state, attempt, started_at, ended_at)
      SELECT n, '${handler}', ${stateAt(marks, rows)}, 1, ${at}, ${at} FROM series`,
    `${series(rows)} INSERT INTO outbox (seq, id, kind, endpoint, channel, content, state, attempt, created_at, ended_at, inbox_seq, handler, ordinal)
      SELECT n, 'message-' || n, 'message', 'sandbox', 'channel-' || (n % 1000), '["a reply to message ' || n || '"]',
        ${stateAt(messages, rows)}, 1, ${at}, ${at}, n, '${handler}', 0 FROM series`,
    `${series(others)} INSERT INTO job_runs (run_id, job, cause, state, scheduled_for, created_at, ended_at)
      SELECT 'run-' || n, iif(n % 2, '${backlogJob}', 'other'), 'manual',
        ${stateAt({succeeded: 0.4, failed: 0.2, cancelled: 0.2, skipped: 0.2}, others)}, ${time(others)}, ${time(others)}, ${time(others)} FROM series`,
    `${series(others)} INSERT INTO timers (id, plugin, name, due_at, missed, data, place, state, created_at)
      SELECT 'timer-' || n, 'greeter', 'remind', ${now + 86_400_000} + n, 'once', 'null', '{}',
        ${stateAt({waiting: 0.4, held: 0.3, failed: 0.3}, others)}, ${time(others)} FROM series`,
    `${series(others)} INSERT INTO agent_runs (run_id, agent, cause, state, place, input, endpoint, user, inbox_seq, created_at, ended_at)
      SELECT 'agent-run-' || n, iif(n % 2, '${backlogAgent}', 'other'), 'mention',
        ${stateAt({succeeded: 0.5, failed: 0.2, cancelled: 0.2, held: 0.1}, others)}, '{}', 'what is ' || n || '?', 'sandbox',
        'user-' || (n % 5000), n, ${time(others)}, ${time(others)} FROM series`,
    `${series(others)} INSERT INTO agent_steps (run, n, kind, name, state, input, output)
      SELECT n, 1, 'model', 'small', 'done', '"asked"', '"answered"' FROM series`,
    `${series(others)} INSERT INTO agent_approvals (id, run, n, tool, state, permission, shown, asked_at, expires_at)
      SELECT 'approval-' || n, n, 1, 'send', ${stateAt({approved: 0.5, denied: 0.2, expired: 0.2, held: 0.1}, others)}, 'trusted',
        'send it', ${time(others)}, ${now + 86_400_000} FROM series`,
    `${series(others)} INSERT INTO agent_spending (agent, day, subject, runs, tokens)
      SELECT '${backlogAgent}', '2026-01-02', 'user sandbox user-' || n, 1, 100 FROM series`,
    `${series(others)} INSERT INTO endpoint_gaps (endpoint, from_at, to_at, reason)
      SELECT 'line', ${time(others)}, ${time(others)} + 10, 'connection_lost' FROM series`,
    `${series(others)} INSERT INTO events (type, at, context, endpoint, data)
      SELECT 'message.received', ${time(others)}, (SELECT max(id) FROM event_contexts), 'sandbox', '{"sn":' || n || ',"type":"message-created"}' FROM series`,
    ...triggers.map(({sql}) => sql),
  ]
}

/** API paths of single things of a Host with a backlog. */
export const backlogPaths = ({seq, messageId}: ReturnType<typeof numbered>) => ({
  "/api/inbox/{seq}": `/api/inbox/${seq}`,
  "/api/inbox/{seq}/trail": `/api/inbox/${seq}/trail`,
  "/api/outbox/{id}": `/api/outbox/${messageId}`,
  "/api/plugins/{plugin}": "/api/plugins/sandbox",
  "/api/generations/{number}/config": "/api/generations/1/config",
  "/api/agents/{name}": `/api/agents/${backlogAgent}`,
})
