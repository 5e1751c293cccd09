import {randomUUID} from "node:crypto"
import type {Client} from "irc-framework"
import {channelType, type Endpoint, isProblem, renderContent} from "../../../shared/sdk/sdk.ts"
import {plain} from "./format.ts"
import {followRoles} from "./roles.ts"

interface PrivateMessage {
  readonly nick: string
  readonly target: string
  readonly message: string
  readonly type: string
  readonly account?: string
  readonly tags: Readonly<Record<string, string>>
  readonly from_server: boolean
}

/**
 * Receives messages and actions of channels and users, in the server's order. It drops notices, because a bot must not
 * answer them (RFC 1459, section 4.4.2).
 */
export const receiveFrom = (client: Client, endpoint: Endpoint): void => {
  const rolesOf = followRoles(client)
  const receive = ({nick, target, message, type, account, tags, from_server}: PrivateMessage) => {
    if (from_server || client.caseCompare(nick, client.user.nick)) return
    const direct = client.caseCompare(target, client.user.nick)
    const channel = direct ? nick : target
    const id = tags.msgid ?? randomUUID()
    // Without the capability, anyone could have set the tag.
    const vouched = account !== undefined && client.network.cap.isEnabled("account-tag") ? {account} : {}
    const roles = direct ? [] : rolesOf(target, nick)
    const text = type === "action" ? `* ${nick} ${message}` : message
    endpoint
      .receive({
        id,
        type: "message-created",
        channel: {id: client.caseLower(channel), name: channel, type: direct ? channelType.direct : channelType.text},
        user: {id: nick, name: nick, ...vouched, ...(roles.length > 0 && {roles: [...roles]})},
        message: {id, content: renderContent(plain(text))},
        raw: {type, data: {nick, target, message, account, tags}},
      })
      .catch(error => {
        // The pause has its own log line, and is a gap of the endpoint.
        const level = isProblem(error, "ingress_paused") ? "debug" : "error"
        endpoint.log[level](`could not store a message from ${channel}: ${error.message}`, {error})
      })
  }
  for (const type of ["privmsg", "action"]) {
    client.on(type, (event: PrivateMessage) => receive({...event, type}))
  }
}
