import type {Database, Reader} from "../database/database.ts"
import {readCell, textIn} from "../database/engine/cells.ts"
import {manyRows} from "../database/engine/many-rows.ts"
import {firstOfEach, Gather} from "../database/gather.ts"
import type {OutboxDraft} from "./draft.ts"
import {columns, columnsOf} from "./rows.ts"

/** A message that a plugin sends outside its handlers. */
export interface Planned {
  readonly draft: OutboxDraft
  /** As stored. */
  readonly content: string
  readonly plugin: string
  /** The plugin's own name for the message. Each key has one message. */
  readonly key: string | undefined
  /** When it is stored and when to send it, in milliseconds since 1970. */
  readonly at: number
  readonly due: number
}

/** The message that was stored now or earlier under the same key. */
export interface StoredPlan {
  readonly id: string
  readonly isNew: boolean
}

/** Without `ON CONFLICT`, which would leave gaps in the sequences. */
const insert = manyRows(
  [...columns, "content", "at", "due", "plugin", "key"],
  source => `INSERT INTO outbox (${columns}, content, created_at, plugin, key, state, not_before)
  SELECT ${columns}, content, at, plugin, key, iif(due > at, 'scheduled', 'queued'), iif(due > at, due, 0)
  FROM ${source} d
  WHERE d.key IS NULL OR NOT EXISTS (SELECT 1 FROM outbox o WHERE o.plugin = d.plugin AND o.key = d.key)
  RETURNING id`,
)

const selectKeyed = manyRows(
  ["plugin", "key"],
  source =>
    `SELECT o.plugin, o.key, o.id FROM ${source} k CROSS JOIN outbox o ON o.plugin = k.plugin AND o.key = k.key`,
)

const keyOf = (plugin: string, key: string): string => `${plugin} ${key}`

const rowOf = ({draft, key, ...others}: Planned) => ({...columnsOf(draft), ...others, key: key ?? null})

/** Identifies messages that are stored only once. */
const identityOf = ({draft, plugin, key}: Planned): string => (key === undefined ? draft.id : keyOf(plugin, key))

/** Returns the id of the message that the plugin has sent under this key. */
export const readPlanned = async (database: Reader, plugin: string, key: string): Promise<string | undefined> =>
  textIn(await readCell(database, "SELECT id FROM outbox WHERE plugin = ? AND key = ?", [plugin, key]))

/** Stores messages of plugins, many at a time. */
export const gatherPlanned = (database: Database): Gather<Planned, StoredPlan> =>
  new Gather(database, {
    sizeOf: ({content}) => content.length,
    statements: planned => [
      insert(firstOfEach(planned, identityOf).map(rowOf)),
      selectKeyed(planned.flatMap(({plugin, key}) => (key === undefined ? [] : [{plugin, key}]))),
    ],
    answers: ([inserted, keyed], planned) => {
      const fresh = new Set((inserted?.rows ?? []).map(({id}) => String(id)))
      const byKey = new Map(
        (keyed?.rows ?? []).map(row => [keyOf(String(row.plugin), String(row.key)), String(row.id)] as const),
      )
      return planned.map(({draft, plugin, key}) => {
        const id = (key === undefined ? undefined : byKey.get(keyOf(plugin, key))) ?? draft.id
        return {id, isNew: fresh.has(draft.id)}
      })
    },
  })
