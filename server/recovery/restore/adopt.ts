import {toJson} from "../../../shared/json.ts"
import {holdingAgents, knownAgentRuns} from "../../agents/runs/restored.ts"
import {tables as agentTables} from "../../agents/tables.ts"
import type {Database, Statement} from "../../database/database.ts"
import {setMeta} from "../../database/state/meta.ts"
import {endingRestored} from "../../database/state/runs.ts"
import {owingGaps} from "../../endpoints/gaps/handed-over.ts"
import {stampingEvents} from "../../events/authority.ts"
import {telling} from "../../events/telling.ts"
import {tables as generationTables} from "../../generation/tables.ts"
import {tables as inboxTables} from "../../inbox/tables.ts"
import {holdingMarks, knownMarks, readAhead, readLastNumber} from "../../inbox/upkeep/restored.ts"
import {tables as outboxTables} from "../../outbox/tables.ts"
import {holdingMessages, knownMessages, sentParts} from "../../outbox/upkeep/restored.ts"
import {holdingTimers} from "../../scheduler/timers/rows.ts"

/** The new identity of a restored database. */
export interface Adoption {
  readonly authority: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly checkpoint: string
  readonly from: string
}

/** The rows that a restore leaves for a person to release or discard. */
export interface HeldBack {
  readonly outbox: number
  readonly inbox: number
  /** Runs of agents. */
  readonly agents: number
  /** Timers of plugins, which fire only when they are released. */
  readonly timers: number
  /** The number of unsent or unhandled rows in the checkpoint that the replaced state had already sent, handled or ended. */
  readonly settled: number
}

/**
 * Gives a restored database a new authority. It holds unsent messages and unhandled events, so that the Host neither sends nor
 * handles them. Rows that have a final state in `replaced`, the later state of the same authority, take that state instead.
 */
export const adoptDatabase = async (
  database: Database,
  {authority, at, checkpoint, from}: Adoption,
  replaced: Database | undefined,
): Promise<HeldBack> => {
  const known =
    replaced === undefined
      ? []
      : [
          ...(await knownMessages(database, replaced)),
          ...(await knownMarks(database, replaced)),
          ...(await knownAgentRuns(database, replaced)),
        ]
  const counters = replaced === undefined ? [] : [...(await raiseCounters(replaced)), ...(await sentParts(replaced))]
  const until = replaced === undefined ? {} : await readAhead(replaced, at)
  const isNewest = replaced !== undefined && (await readLastNumber(replaced)) === (await readLastNumber(database))
  const statements = [
    ...known,
    ...counters,
    holdingMessages(at),
    holdingMarks(at),
    ...holdingAgents(at),
    holdingTimers,
    endingRestored(at),
    setMeta("authority", authority),
    setMeta("restored", toJson({at, checkpoint, from, until})),
    ...(isNewest ? [] : [owingGaps]),
    telling("checkpoint.restored", {checkpoint, from}),
    ...stampingEvents(database, authority),
  ]
  const changes = (await database.write(statements)).map(result => result.changes)
  const first = known.length + counters.length
  return {
    outbox: changes[first] ?? 0,
    inbox: changes[first + 1] ?? 0,
    agents: changes[first + 2] ?? 0,
    timers: changes[statements.indexOf(holdingTimers)] ?? 0,
    settled: changes.slice(0, known.length).reduce((sum, count) => sum + count, 0),
  }
}

/** Resolves to the statements that keep numbers of the replaced state from being reused. */
const raiseCounters = async (replaced: Database): Promise<Statement[]> => {
  const tables = [...agentTables, ...generationTables, ...inboxTables, ...outboxTables]
  const rows = await replaced.read(
    "SELECT name, seq FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(?))",
    [toJson(tables)],
  )
  return rows.flatMap(({name = null, seq = null}) => [
    {sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", args: [seq, name]},
    {
      sql: "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      args: [name, seq],
    },
  ])
}
