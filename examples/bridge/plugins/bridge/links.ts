import {type PluginDatabase, type Statement, Type} from "svc-runtime"

/** A channel of a platform. */
export interface Place {
  readonly endpoint: string
  readonly channel: string
}

export const isSame = (one: Place, other: Place): boolean =>
  one.endpoint === other.endpoint && one.channel === other.channel

/** A message of somebody, by its platform's id. */
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

/** So many copies of a channel, the newest, are looked up where somebody quotes one whose platform's id is not known yet. */
const mostUnknown = 50

export type Links = ReturnType<typeof createLinks>

/** What the bridge remembers: which messages are copies of which, and the platform's ids of the copies once they are asked for. */
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
    /** For the handler's batch: the copy is remembered if, and only if, it is sent. */
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

    /** The message that this one is a copy of, by the platform's id of the copy. */
    originOf: async ({endpoint, channel, message}: Origin): Promise<Origin | undefined> => {
      const [found] = await database.read(
        `SELECT from_endpoint AS endpoint, from_channel AS channel, from_message AS message
         FROM ${ids} JOIN ${copies} USING (outbox) WHERE ${ids}.endpoint = ? AND ${ids}.channel = ? AND message = ?`,
        [endpoint, channel, message],
        OriginRow,
      )
      return found
    },

    /** The newest copies in a channel whose platform's ids nobody has asked for. */
    unknownIn: async ({endpoint, channel}: Place): Promise<readonly string[]> => {
      const rows = await database.read(
        `SELECT outbox FROM ${copies} WHERE known = 0 AND endpoint = ? AND channel = ? ORDER BY at DESC LIMIT ${mostUnknown}`,
        [endpoint, channel],
        OutboxRow,
      )
      return rows.map(({outbox}) => outbox)
    },

    /** The platform's ids of a copy that was sent. */
    learn: ({endpoint, channel, outbox}: Copy, messages: readonly string[]): Promise<unknown> =>
      database.write([
        ...messages.map(message => ({
          sql: `INSERT OR IGNORE INTO ${ids} (endpoint, channel, message, outbox) VALUES (?, ?, ?, ?)`,
          args: [endpoint, channel, message, outbox],
        })),
        {sql: `UPDATE ${copies} SET known = 1 WHERE outbox = ?`, args: [outbox]},
      ]),

    /** Forgets what is older, in milliseconds since 1970. */
    forgetBefore: (at: number): readonly Statement[] => [
      {sql: `DELETE FROM ${ids} WHERE outbox IN (SELECT outbox FROM ${copies} WHERE at < ?)`, args: [at]},
      {sql: `DELETE FROM ${copies} WHERE at < ?`, args: [at]},
    ],
  }
}
