import {refused, type Sender} from "../../../../shared/sdk/sdk.ts"
import {type Ask, SlackError} from "../api/api.ts"
import {type Payload, payloadOf, textIn} from "../api/payload.ts"
import {placeOf} from "../api/place.ts"

/** Methods of Satori. A guild is a group conversation, because in Slack only conversations have members. */
export const memberMethods = ["guild.member.kick", "guild.member.list"] as const

export const createMembers = (ask: Ask): Required<Pick<Sender, "call">> => ({
  call: async (method, params, signal) => {
    if (method.startsWith("slack/")) return ask(method.slice("slack/".length), params, signal)
    const {channel} = placeOf(required(params, "guild_id"))
    if (method === "guild.member.kick") {
      const args = {channel, user: required(params, "user_id")}
      // A user who is not a member counts as kicked.
      await ask("conversations.kick", args, signal, ["not_in_channel", "user_not_in_channel"]).catch(error => {
        if (!(error instanceof SlackError)) throw error
      })
      return {}
    }
    const cursor = typeof params.next === "string" ? params.next : undefined
    const answer = await ask("conversations.members", {channel, cursor, limit: 200}, signal)
    const next = textIn(payloadOf(answer.response_metadata), "next_cursor")
    const members = Array.isArray(answer.members) ? answer.members : []
    return {data: members.map(id => ({user: {id: String(id)}})), ...(next === undefined ? {} : {next})}
  },
})

const required = (params: Payload, key: string): string => {
  const value = textIn(params, key)
  if (value !== undefined) return value
  throw refused(`${key} is missing`, {reason: "request_invalid", remediation: `Send ${key}, as defined by Satori.`})
}
