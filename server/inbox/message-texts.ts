import {channelType} from "../../shared/sdk/content/satori.ts"
import type {Reader, Row} from "../database/database.ts"

/** The first 16,384 characters of a message. */
const content = "substr(event ->> '$.message.content', 1, 16384)"

/** SQL for the content of an event's message; NULL if the event is gone. */
export const contentOf = (seq: string): string => `(SELECT ${content} FROM inbox WHERE seq = ${seq})`

/** Returns the next events after a number, in order, with their message; `isSaid` is 1 if a user said it. */
export const readContents = (database: Reader, after: number, most: number): Promise<readonly Row[]> =>
  database.read(
    `SELECT seq, endpoint, event ->> '$.channel.id' AS channel, ${content} AS content,
        type = 'message-created' AND event ->> '$.user.id' IS NOT NULL AND coalesce(event ->> '$.user.is_bot', 0) = 0 AS isSaid
      FROM inbox WHERE seq > ? ORDER BY seq LIMIT ?`,
    [after, most],
  )

/** SQL of triggers that run a statement for each event `OLD` that is deleted or whose content changes. */
export const creatingTriggers = (name: string, statement: string): readonly string[] => [
  `CREATE TRIGGER ${name}_gone AFTER DELETE ON inbox BEGIN ${statement}; END`,
  `CREATE TRIGGER ${name}_redacted AFTER UPDATE OF event ON inbox BEGIN ${statement}; END`,
]

/**
 * Selects events of a channel, the newest first, whose numbers `seq` a query with `?1` returns. `?2` is the endpoint,
 * `?3` the channel, `?4` the highest number of events.
 *
 * Of messages of a direct conversation, only those of the asking user match, `?5`, and their account must match too,
 * `?6`: anyone can take a name that serves as id there while its owner is offline. Each message says whether it was
 * direct, because a work item and a plugin give a run no more than the channel's id.
 */
export const selectAmong = (numbers: string): string => `SELECT i.received_at, i.event
  FROM (${numbers}) m CROSS JOIN inbox i ON i.seq = m.seq
  WHERE i.endpoint = ?2 AND i.event ->> '$.channel.id' = ?3
    AND (coalesce(i.event ->> '$.channel.type', 0) <> ${channelType.direct}
      OR (i.event ->> '$.user.id' = ?5 AND i.event ->> '$.user.account' IS ?6))
  ORDER BY m.seq DESC LIMIT ?4`
