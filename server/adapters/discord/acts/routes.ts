import {refused} from "../../../../shared/sdk/sdk.ts"
import {type Api, requireId} from "../api/api.ts"

type Params = Readonly<Record<string, unknown>>

/** Discord's own methods, by the names of `platformMethods` (https://discord.com/developers/docs/resources). */
export const routes: Readonly<Record<string, `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`>> = {
  getBan: "GET /guilds/:guild_id/bans/:user_id",
  getGuild: "GET /guilds/:guild_id",
  getInvite: "GET /invites/:code",
  getMessage: "GET /channels/:channel_id/messages/:message_id",
  listBans: "GET /guilds/:guild_id/bans",
  listInvites: "GET /channels/:channel_id/invites",
  listPins: "GET /channels/:channel_id/messages/pins",
  listPollVoters: "GET /channels/:channel_id/polls/:message_id/answers/:answer",
  listThreads: "GET /guilds/:guild_id/threads/active",
  addRole: "PUT /guilds/:guild_id/members/:user_id/roles/:role_id",
  addThreadMember: "PUT /channels/:channel_id/thread-members/:user_id",
  ban: "PUT /guilds/:guild_id/bans/:user_id",
  deleteChannel: "DELETE /channels/:channel_id",
  deleteInvite: "DELETE /invites/:code",
  deleteRole: "DELETE /guilds/:guild_id/roles/:role_id",
  editChannel: "PATCH /channels/:channel_id",
  editMember: "PATCH /guilds/:guild_id/members/:user_id",
  editRole: "PATCH /guilds/:guild_id/roles/:role_id",
  endPoll: "POST /channels/:channel_id/polls/:message_id/expire",
  joinThread: "PUT /channels/:channel_id/thread-members/@me",
  leaveThread: "DELETE /channels/:channel_id/thread-members/@me",
  pinMessage: "PUT /channels/:channel_id/messages/pins/:message_id",
  removeRole: "DELETE /guilds/:guild_id/members/:user_id/roles/:role_id",
  removeThreadMember: "DELETE /channels/:channel_id/thread-members/:user_id",
  unban: "DELETE /guilds/:guild_id/bans/:user_id",
  unpinMessage: "DELETE /channels/:channel_id/messages/pins/:message_id",
  createChannel: "POST /guilds/:guild_id/channels",
  createInvite: "POST /channels/:channel_id/invites",
  createMessage: "POST /channels/:channel_id/messages",
  createRole: "POST /guilds/:guild_id/roles",
  createThread: "POST /channels/:channel_id/threads",
  crosspostMessage: "POST /channels/:channel_id/messages/:message_id/crosspost",
  startThread: "POST /channels/:channel_id/messages/:message_id/threads",
}

/** Calls a route: parameters fill its path, and the rest is the body, or the query of a `GET` and a `DELETE`. */
export const callRoute = async (api: Api, name: string, params: Params, signal: AbortSignal): Promise<unknown> => {
  const [verb, path = ""] = String(routes[name]).split(" ") as ["GET" | "POST" | "PUT" | "PATCH" | "DELETE", string]
  const rest = new Map(Object.entries(params))
  const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => {
    const value = rest.get(key)
    rest.delete(key)
    return key.endsWith("_id") ? requireId(value, key) : requireWord(value, key)
  })
  const more = Object.fromEntries(rest)
  const isInQuery = verb === "GET" || verb === "DELETE"
  return api.ask(verb, filled, isInQuery ? {query: textsOf(more)} : {body: more}, signal)
}

const textsOf = (params: Params) =>
  Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)]))

/** Throws a refusal for text that could point the path elsewhere. */
const requireWord = (value: unknown, key: string): string => {
  const word = String(value ?? "")
  if (/^[\w-]{1,100}$/.test(word)) return word
  throw refused(`Discord needs ${key}`, {
    reason: "request_invalid",
    remediation: `Send ${key}, as Discord documents it.`,
  })
}
