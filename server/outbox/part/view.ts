import type {OutboxDetail, OutboxView} from "../../../shared/api/messages.ts"
import {fromJson} from "../../../shared/json.ts"
import {type Node, textOf} from "../../../shared/sdk/content/elements.ts"
import type {Row} from "../../database/database.ts"
import {numberOrNull, textOrNull, timeOf} from "../../database/lists/pages.ts"
import {atAnyAge} from "../age.ts"
import {presentButtons} from "../buttons.ts"
import type {OutboxDraft} from "../draft.ts"

export const viewMessage = (row: Row): OutboxView => ({
  id: String(row.id),
  seq: Number(row.seq),
  kind: row.kind as OutboxDraft["kind"],
  endpoint: String(row.endpoint),
  channel: String(row.channel),
  state: row.state as OutboxView["state"],
  attempt: Number(row.attempt),
  createdAt: timeOf(row.created_at) ?? "",
  endedAt: timeOf(row.ended_at),
  notBefore: Number(row.not_before) === 0 ? null : timeOf(row.not_before),
  text: textOfContent(row),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
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
