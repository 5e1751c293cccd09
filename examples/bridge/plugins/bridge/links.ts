import {type PluginDatabase, type Statement, Type} from "svc-runtime"

/** A channel of a platform. */
export interface Place {
  readonly endpoint: string
  readonly channel: string
}

export const isSame = (one: Place, other: Place): boolean =>
  one.endpoint === other.endpoint && one.channel === other.channel

/** A user's message, by its platform's id. */
export interface Origin extends Place {
  readonly message: string
}

/** The copy of a message in another channel, by its outbox id. */
export interface Copy extends Place {
  readonly outbox: string
}

const CopyRow = Type.Object({endpoint: Type.String(), channel: Type.String(), outbox: Type.String()})
const OriginRow = Type.Object({endpoint: Type.String(), channel: Type.String(), message: Type.String()})
const OutboxRow = Type.Object({outbox: Type.String()})

/**
 * How many of a channel's newest copies are looked up when somebody quotes a copy whose platform's id is not known yet.
 */
const mostUnknown = 50

export type Links = ReturnType<typeof createLinks>

/**
 * The bridge's memory: which message is a copy of which, and the platform's ids of the copies once they are looked up.
 */
export const createLinks = (database: PluginDatabase) => {
  const copies = database.table("copies")
  const ids = database.table("ids")
  database.migrate([
    {
      name: "copies",
      undo: "drop both tables",
      up: table => [
        `CREATE TABLE ${table("copies")} (
          outbox TEXT PRIMARY KEY, endpoint TEXT NOT NULL, channel TEXT NOT NULL,
          from_endpoint TEXT NOT NULL, from_channel TEXT NOT NULL, from_message TEXT NOT NULL,
          at INTEGER NOT NULL, known INTEGER NOT NULL DEFAULT 0)`,
        `CREATE INDEX ${table("copies_of")} ON ${table("copies")} (from_endpoint, from_channel, from_message)`,
        `CREATE INDEX ${table("copies_unknown")} ON ${table("copies")} (endpoint, channel, at) WHERE known = 0`,
        `CREATE INDEX ${table("copies_at")} ON ${table("copies")} (at)`,
        `CREATE TABLE ${table("ids")} (
          endpoint TEXT NOT NULL, channel TEXT NOT NULL, message TEXT NOT NULL, outbox TEXT NOT NULL,
          PRIMARY KEY (endpoint, channel, message)) WITHOUT ROWID`,
      ],
    },
  ])

  return {
    /** Returns the statement for the handler's batch: the bridge remembers the copy if, and only if, it is sent. */
    remember: ({endpoint, channel, outbox}: Copy, from: Origin, at: number): Statement => ({
      sql: `INSERT INTO ${copies} (outbox, endpoint, channel, from_endpoint, from_channel, from_message, at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
      args: [outbox, endpoint, channel, from.endpoint, from.channel, from.message, at],
    }),

    copiesOf: ({endpoint, channel, message}: Origin): Promise<readonly Copy[]> =>
      database.read(
        `SELECT endpoint, channel, outbox FROM ${copies} WHERE from_endpoint = ? AND from_channel = ? AND from_message = ?`,
        [endpoint, channel, message],
        CopyRow,
      ),

    /** Returns the original of this copy, by the platform's id of the copy. */
    originOf: async ({endpoint, channel, message}: Origin): Promise<Origin | undefined> => {
      const [found] = await database.read(
        `SELECT from_endpoint AS endpoint, from_channel AS channel, from_message AS message
         FROM ${ids} JOIN ${copies} USING (outbox) WHERE ${ids}.endpoint = ? AND ${ids}.channel = ? AND message = ?`,
        [endpoint, channel, message],
        OriginRow,
      )
      return found
    },

    /** Returns the newest copies in a channel whose platform's ids have not been looked up yet. */
    unknownIn: async ({endpoint, channel}: Place): Promise<readonly string[]> => {
      const rows = await database.read(
        `SELECT outbox FROM ${copies} WHERE known = 0 AND endpoint = ? AND channel = ? ORDER BY at DESC LIMIT ${mostUnknown}`,
        [endpoint, channel],
        OutboxRow,
      )
      return rows.map(({outbox}) => outbox)
    },

    /** Stores the platform's ids of a sent copy. */
    learn: ({endpoint, channel, outbox}: Copy, messages: readonly string[]): Promise<unknown> =>
      database.write([
        ...messages.map(message => ({
          sql: `INSERT OR IGNORE INTO ${ids} (endpoint, channel, message, outbox) VALUES (?, ?, ?, ?)`,
          args: [endpoint, channel, message, outbox],
        })),
        {sql: `UPDATE ${copies} SET known = 1 WHERE outbox = ?`, args: [outbox]},
      ]),

    /** Deletes all records older than `at`, in milliseconds since 1970. */
    forgetBefore: (at: number): readonly Statement[] => [
      {sql: `DELETE FROM ${ids} WHERE outbox IN (SELECT outbox FROM ${copies} WHERE at < ?)`, args: [at]},
      {sql: `DELETE FROM ${copies} WHERE at < ?`, args: [at]},
    ],
  }
}
