import {type PluginDatabase, type Static, Type, type WriteStatement} from "svc-runtime"

/** What the bot knows of a feed. Times are milliseconds since 1970; 0 is never. */
const FeedRow = Type.Object({
  feed: Type.String(),
  /** Counts the changes, so that two of them cannot both follow the same one. */
  turn: Type.Integer(),
  title: Type.String(),
  etag: Type.String(),
  modified: Type.String(),
  /** Of the document. */
  digest: Type.String(),
  /** The ids of the entries, with spaces between. */
  seen: Type.String(),
  /** When the bot last read the feed without a failure. */
  checked: Type.Integer(),
  failures: Type.Integer(),
  problem: Type.String(),
  /** When the bot may ask the server again. */
  until: Type.Integer(),
})
export type FeedRow = Static<typeof FeedRow>

const unknown = {
  title: "",
  etag: "",
  modified: "",
  digest: "",
  seen: "",
  checked: 0,
  failures: 0,
  problem: "",
  until: 0,
}

const columns = ["feed", "turn", ...(Object.keys(unknown) as (keyof typeof unknown)[])] as const

/** The table of the feeds. */
export const feedRows = (database: PluginDatabase) => {
  const feeds = database.table("feeds")
  const typeOf = (column: keyof FeedRow) => (FeedRow.properties[column].type === "integer" ? "INTEGER" : "TEXT")
  database.migrate([
    {
      name: "feeds",
      undo: "drop the table",
      up: table => [
        `CREATE TABLE ${table("feeds")} (${columns.map(each => `${each} ${typeOf(each)} NOT NULL`).join(", ")}, PRIMARY KEY (feed))`,
      ],
    },
  ])
  return {
    get: async (feed: string): Promise<FeedRow> => {
      const [row] = await database.read(`SELECT * FROM ${feeds} WHERE feed = ?`, [feed], FeedRow)
      return row ?? {feed, turn: 0, ...unknown}
    },

    /**
     * Stores what follows on `row`. If another handler changed the row meanwhile, the turn becomes NULL, which the table
     * refuses together with everything that this handler sends.
     */
    put: (row: FeedRow): WriteStatement => ({
      sql: `INSERT INTO ${feeds} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
        ON CONFLICT (feed) DO UPDATE SET turn = CASE turn WHEN excluded.turn - 1 THEN excluded.turn END,
        ${columns
          .slice(2)
          .map(each => `${each} = excluded.${each}`)
          .join(", ")}`,
      args: columns.map(each => (each === "turn" ? row.turn + 1 : row[each])),
    }),

    /** Deletes the rows of all other feeds. */
    keep: (wanted: readonly string[]) =>
      database.write([
        {
          sql: `DELETE FROM ${feeds} WHERE feed NOT IN (SELECT value FROM json_each(?))`,
          args: [JSON.stringify(wanted)],
        },
      ]),
  }
}
