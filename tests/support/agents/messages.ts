import type {Database} from "../../../server/database/database.ts"

export interface Said {
  readonly text: string
  readonly channel?: string
  readonly endpoint?: string
  /** 1 stands for a direct conversation. */
  readonly type?: 0 | 1
  readonly user?: string
  readonly account?: string
  readonly isBot?: boolean
  readonly event?: string
}

const eventOf = ({
  text,
  channel = "#team",
  type = 0,
  user = "ada",
  account,
  isBot,
  event = "message-created",
}: Said) => ({
  type: event,
  timestamp: 1,
  login: {platform: "line"},
  channel: {id: channel, type},
  user: {
    id: user,
    name: `${user} by name`,
    ...(account === undefined ? {} : {account}),
    ...(isBot === undefined ? {} : {is_bot: isBot}),
  },
  message: {id: "1", content: text},
})

/** Stores messages as the inbox does; resolves to the number of the last one. */
export const say = async (database: Database, ...all: readonly (string | Said)[]): Promise<number> => {
  const said = all.map(each => (typeof each === "string" ? {text: each} : each))
  const rows = said.map(each => [
    each.endpoint ?? "line",
    each.event ?? "message-created",
    JSON.stringify(eventOf(each)),
  ])
  await database.write([
    {
      sql: `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event)
        SELECT value ->> 0, coalesce((SELECT max(seq) FROM inbox), 0) + key, 'c', value ->> 1, 1777626000000 + key * 1000, value ->> 2 FROM json_each(?)`,
      args: [JSON.stringify(rows)],
    },
  ])
  const [row] = await database.read("SELECT max(seq) AS seq FROM inbox")
  return Number(row?.seq)
}
