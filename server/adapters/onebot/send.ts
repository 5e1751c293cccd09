import {channelType, type Endpoint, isRefusal, type Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {type Ask, directChannel, isRecord, numberOf, targetOf} from "./api.ts"
import {toSegments} from "./content.ts"
import {writeCq} from "./cq.ts"

type Acts = Required<Pick<Sender, "send" | "delete" | "open">>

export const createActs = (ask: Ask, {format}: AccountSettings, file: Endpoint["file"]): Acts => ({
  send: async ({channel, content}, signal) => {
    const target = targetOf(channel)
    const segments = await toSegments(content, file)
    const message = format === "string" ? writeCq(segments) : segments
    const data = await ask("send_msg", {...target, message, auto_escape: false}, signal)
    const id = isRecord(data) ? data.message_id : undefined
    return {ids: typeof id === "number" || typeof id === "string" ? [String(id)] : []}
  },
  delete: async ({message}, signal) => {
    const message_id = numberOf(message)
    try {
      await ask("delete_msg", {message_id}, signal)
    } catch (error) {
      // The standard has no code for a missing message, so a message that cannot be found counts as deleted.
      if (signal.aborted || (await isThere(ask, message_id, signal))) throw error
    }
  },
  open: async user => ({id: directChannel(numberOf(user)), type: channelType.direct}),
})

const isThere = (ask: Ask, message_id: number, signal: AbortSignal): Promise<boolean> =>
  ask("get_msg", {message_id}, signal).then(
    data => isRecord(data),
    error => isRefusal(error) && error.reason !== "rejected",
  )
