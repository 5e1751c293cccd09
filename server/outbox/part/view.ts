import {type OutboxDetail, OutboxView} from "../../../shared/api/messages.ts"
import {fromJson} from "../../../shared/json.ts"
import type {Node} from "../../../shared/sdk/content/elements.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"
import type {Row} from "../../database/database.ts"
import {numberOrNull, textOrNull, timeOf} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"
import {atAnyAge} from "../age.ts"
import {presentButtons} from "../buttons.ts"

const readView = rowReader(OutboxView)

export const viewMessage = (row: Row): OutboxView => ({
  ...readView(row),
  notBefore: Number(row.not_before) === 0 ? null : timeOf(row.not_before),
  text: textOfContent(row),
})

/** The text of a message, or the essential part of an act. */
const textOfContent = (row: Row): string => {
  const content: unknown = fromJson(String(row.content))
  const shown = (nodes: readonly Node[]) => textOf(presentButtons(nodes, String(row.id), {}))
  if (row.kind === "message") return shown(content as readonly Node[])
  const act = content as {readonly emoji?: string; readonly content?: readonly Node[]; readonly method?: string}
  return act.emoji ?? act.method ?? shown(act.content ?? [])
}

export const viewDetail = (row: Row): OutboxDetail => ({
  ...viewMessage(row),
  content: fromJson(String(row.content)),
  platformIds: row.platform_ids === null ? [] : fromJson(String(row.platform_ids)),
  inboxSeq: numberOrNull(row.inbox_seq),
  handler: textOrNull(row.handler),
  notAfter: Number(row.not_after ?? atAnyAge) === atAnyAge ? null : timeOf(row.not_after),
  important: row.important === 1,
})
