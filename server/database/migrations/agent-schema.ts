import {randomUuid} from "../engine/random-uuid.ts"

/** Raises the event of a run; `event` is the word after `agent.run_`. */
const tellingRun = (event: string) => `INSERT INTO events (type, at, context, endpoint, run_id, data) VALUES
  ('agent.run_' || ${event}, CAST(unixepoch('subsec') * 1000 AS INTEGER), (SELECT max(id) FROM event_contexts), NEW.endpoint, NEW.run_id,
  json_object('agent', NEW.agent, 'trigger', NEW.cause, 'attempt', NEW.attempt, 'item', NEW.item, 'waitsFor', NEW.waits_for,
    'reason', NEW.reason, 'error', substr(NEW.error, 1, 1000)));`

/** Raises the event of a step: `begun`, `done`, `failed`, `unknown` or `refused`. */
const tellingStep = `INSERT INTO events (type, at, context, endpoint, run_id, data)
  SELECT 'agent.step', CAST(unixepoch('subsec') * 1000 AS INTEGER), (SELECT max(id) FROM event_contexts), r.endpoint, r.run_id,
    json_object('agent', r.agent, 'step', NEW.n, 'kind', NEW.kind, 'name', NEW.name, 'state', NEW.state, 'begun', NEW.begun,
      'reason', NEW.reason)
  FROM agent_runs r WHERE r.seq = NEW.run;`

/** Raises the event of an approval; `event` is the word after `agent.approval_`. */
const tellingApproval = (event: string) => `INSERT INTO events (type, at, context, endpoint, run_id, data)
  SELECT 'agent.approval_' || ${event}, CAST(unixepoch('subsec') * 1000 AS INTEGER), (SELECT max(id) FROM event_contexts), NEW.endpoint, r.run_id,
    json_object('agent', r.agent, 'approval', NEW.id, 'step', NEW.n, 'tool', NEW.tool, 'by', NEW.decided_by, 'reason', NEW.reason)
  FROM agent_runs r WHERE r.seq = NEW.run;`

/** Adds an ended run to the totals, since `agent_runs` is pruned. */
const counting = `INSERT INTO agent_run_totals (agent, outcome, runs, tokens_in, tokens_out, money)
  VALUES (NEW.agent, NEW.state, 1, NEW.tokens_in, NEW.tokens_out, NEW.money)
  ON CONFLICT (agent, outcome) DO UPDATE SET runs = runs + 1, tokens_in = tokens_in + excluded.tokens_in,
    tokens_out = tokens_out + excluded.tokens_out, money = money + excluded.money;`

/**
 * Agent runs. A run is one row. Each of its model calls and tool calls is a step: a row that is written before it
 * begins and after it has ended, numbered from 1 in order. `begun` counts how often a step was begun. Money is in
 * millionths of the unit of the binding's prices. `agent_spending` counts by binding, day (UTC, as 2026-11-25) and
 * subject: '' for all, `user <endpoint> <id>`, `channel <endpoint> <id>`. Times are in milliseconds since 1970.
 * Triggers raise the events, so that each event is in the batch of its change.
 */
export const agentSchema: readonly string[] = [
  `CREATE TABLE agent_runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, cause TEXT NOT NULL, request TEXT UNIQUE,
    state TEXT NOT NULL DEFAULT 'queued', waits_for TEXT, due_at INTEGER, attempt INTEGER NOT NULL DEFAULT 0, runtime_id TEXT,
    endpoint TEXT, channel TEXT, user TEXT, place TEXT NOT NULL, inbox_seq INTEGER, item INTEGER, plugin TEXT,
    input TEXT NOT NULL, answer TEXT, message TEXT, reason TEXT, error TEXT, failures INTEGER NOT NULL DEFAULT 0,
    steps INTEGER NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0, money INTEGER NOT NULL DEFAULT 0, active_ms INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER
  )`,
  "CREATE INDEX agent_runs_state ON agent_runs (state, seq)",
  "CREATE INDEX agent_runs_of_agent ON agent_runs (agent, seq)",
  "CREATE INDEX agent_runs_of_agent_state ON agent_runs (agent, state, seq)",
  "CREATE INDEX agent_runs_user ON agent_runs (endpoint, user) WHERE user IS NOT NULL",
  "CREATE INDEX agent_runs_due ON agent_runs (due_at) WHERE state = 'waiting'",
  "CREATE INDEX agent_runs_event ON agent_runs (inbox_seq) WHERE inbox_seq IS NOT NULL",
  "CREATE INDEX agent_runs_item ON agent_runs (item, seq) WHERE item IS NOT NULL",
  `CREATE TABLE agent_steps (
    run INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, call TEXT, effect TEXT,
    state TEXT NOT NULL, begun INTEGER NOT NULL DEFAULT 0, input TEXT, output TEXT, reason TEXT, error TEXT,
    tokens_in INTEGER, tokens_out INTEGER, money INTEGER, reserved_tokens INTEGER NOT NULL DEFAULT 0, reserved_money INTEGER NOT NULL DEFAULT 0,
    begun_at INTEGER, ended_at INTEGER,
    PRIMARY KEY (run, n)
  ) WITHOUT ROWID`,
  `CREATE TABLE agent_approvals (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, n INTEGER NOT NULL, tool TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', permission TEXT NOT NULL, endpoint TEXT, channel TEXT, message TEXT, shown TEXT NOT NULL,
    asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, decided_at INTEGER, decided_by TEXT, reason TEXT
  )`,
  "CREATE INDEX agent_approvals_state ON agent_approvals (state, expires_at)",
  "CREATE INDEX agent_approvals_listed ON agent_approvals (state, seq)",
  "CREATE INDEX agent_approvals_run ON agent_approvals (run, n)",
  "CREATE TABLE agent_spending (agent TEXT NOT NULL, day TEXT NOT NULL, subject TEXT NOT NULL, runs INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, money INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (agent, day, subject)) WITHOUT ROWID",
  "CREATE INDEX agent_spending_day ON agent_spending (day)",
  "CREATE TABLE agent_run_totals (agent TEXT NOT NULL, outcome TEXT NOT NULL, runs INTEGER NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0, money INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (agent, outcome)) WITHOUT ROWID",
  `CREATE TRIGGER event_agent_run_queued AFTER INSERT ON agent_runs BEGIN ${tellingRun("'queued'")} END`,
  `CREATE TRIGGER event_agent_run AFTER UPDATE OF state ON agent_runs WHEN NEW.state IS NOT OLD.state BEGIN
    ${tellingRun("CASE NEW.state WHEN 'running' THEN 'started' ELSE NEW.state END")} END`,
  `CREATE TRIGGER count_agent_run AFTER UPDATE OF state ON agent_runs
    WHEN NEW.state IS NOT OLD.state AND NEW.state IN ('succeeded', 'failed', 'cancelled') BEGIN ${counting} END`,
  `CREATE TRIGGER event_agent_step AFTER UPDATE OF state ON agent_steps
    WHEN NEW.state IS NOT OLD.state AND NEW.state NOT IN ('planned') BEGIN ${tellingStep} END`,
  `CREATE TRIGGER event_agent_step_begun AFTER INSERT ON agent_steps WHEN NEW.state = 'begun' BEGIN ${tellingStep} END`,
  `CREATE TRIGGER event_agent_approval_asked AFTER INSERT ON agent_approvals BEGIN ${tellingApproval("'asked'")} END`,
  `CREATE TRIGGER event_agent_approval AFTER UPDATE OF state ON agent_approvals WHEN NEW.state IS NOT OLD.state BEGIN
    ${tellingApproval("NEW.state")} END`,
  "CREATE TRIGGER agent_run_gone AFTER DELETE ON agent_runs BEGIN DELETE FROM agent_steps WHERE run = OLD.seq; DELETE FROM agent_approvals WHERE run = OLD.seq; END",
]

/**
 * The members of endpoints. `seen` is the day, since 1970, of a message in a shared channel or of an approval. It is NULL
 * for a user who only has a code. `asked_sn` is the message that `code` last answered. Times are in milliseconds.
 */
export const memberSchema: readonly string[] = [
  `CREATE TABLE agent_members (
    endpoint TEXT NOT NULL, person TEXT NOT NULL, user TEXT NOT NULL, seen INTEGER,
    code TEXT, agent TEXT, channel TEXT, asked_sn INTEGER, told_at INTEGER, expires_at INTEGER,
    PRIMARY KEY (endpoint, person)
  ) WITHOUT ROWID`,
  "CREATE INDEX agent_members_user ON agent_members (endpoint, user)",
  "CREATE INDEX agent_members_code ON agent_members (expires_at) WHERE code IS NOT NULL",
]

/** The tools of agents' MCP servers: as they were accepted, and as the server offers them if that differs. */
export const mcpSchema: readonly string[] = [
  `CREATE TABLE agent_mcp_tools (agent TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, accepted TEXT, offered TEXT,
    changed_at INTEGER NOT NULL, PRIMARY KEY (agent, server, tool)) WITHOUT ROWID`,
]

/**
 * What users said to runs that worked. `told` is the step of the model call before which the model read it, NULL before
 * that, and 0 once the message is part of the question of a run: a run that ends untold leaves the rest to a new one.
 */
export const saidSchema: readonly string[] = [
  "CREATE TABLE agent_said (seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, request TEXT UNIQUE, text TEXT NOT NULL, inbox_seq INTEGER, told INTEGER)",
  "CREATE INDEX agent_said_run ON agent_said (run, seq)",
  "CREATE INDEX agent_said_event ON agent_said (inbox_seq) WHERE inbox_seq IS NOT NULL",
  `CREATE TRIGGER agent_said_left AFTER UPDATE OF state ON agent_runs
    WHEN NEW.state IN ('succeeded', 'failed', 'cancelled') AND NEW.reason IS NOT 'discarded'
      AND EXISTS (SELECT 1 FROM agent_said WHERE run = NEW.seq AND told IS NULL)
    BEGIN
      INSERT INTO agent_runs (run_id, agent, cause, endpoint, channel, user, place, inbox_seq, input, created_at)
        SELECT ${randomUuid}, NEW.agent, NEW.cause, NEW.endpoint, NEW.channel, NEW.user, json_remove(NEW.place, '$.age', '$.pictures'),
          min(inbox_seq), group_concat(text, char(10, 10)), NEW.ended_at
        FROM (SELECT * FROM agent_said WHERE run = NEW.seq AND told IS NULL ORDER BY seq);
      UPDATE agent_said SET run = (SELECT max(seq) FROM agent_runs), told = 0 WHERE run = NEW.seq AND told IS NULL;
    END`,
  "CREATE TRIGGER agent_said_gone AFTER DELETE ON agent_runs BEGIN DELETE FROM agent_said WHERE run = OLD.seq; END",
]
