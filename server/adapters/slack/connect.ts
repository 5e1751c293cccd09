import {type Endpoint, refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {createFiles} from "./acts/files.ts"
import {createHistory} from "./acts/history.ts"
import {createMembers} from "./acts/members.ts"
import {createActs, losing} from "./acts/send.ts"
import type {AccountSettings} from "./api/account.ts"
import {openApi} from "./api/api.ts"
import {idIn, textIn} from "./api/payload.ts"
import {channelOfPress} from "./api/place.ts"
import {messageEvent, type Reading} from "./incoming/events.ts"
import {Inbox} from "./incoming/inbox.ts"
import {People} from "./incoming/people.ts"
import {openSocket} from "./incoming/socket.ts"
import {Threads} from "./incoming/threads.ts"
import {answerRequest} from "./incoming/webhook.ts"

/** An open account: its acts, and the handler for Slack's requests. */
export interface Opened extends Sender {
  answer(request: Request): Promise<Response>
}

/**
 * Logs in, and connects by Socket Mode if the account has an app-level token. Throws a refusal if Slack rejects the
 * account permanently.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Opened> => {
  const {appToken, signingSecret} = account
  if (appToken === undefined && signingSecret === undefined)
    throw refused("the account has neither appToken nor signingSecret", {
      reason: "account",
      remediation: "Give it appToken for Socket Mode, or signingSecret for events by HTTP.",
    })
  const {signal} = endpoint
  const open = await openApi(account, endpoint.load)
  const who = await open("auth.test", {}, signal)
  const [id, name, bot] = [idIn(who, "user_id"), textIn(who, "user"), idIn(who, "bot_id")]
  if (id === undefined) throw new Error("Slack did not return the bot's user id")
  endpoint.login({
    platform: "slack",
    user: {id, ...(name === undefined ? {} : {name}), is_bot: true},
    status: 1,
  })
  const ask = losing(open, endpoint)
  const reading: Reading = {me: {user: id, ...(bot === undefined ? {} : {bot})}, threads: new Threads()}
  const people = new People(open, signal, idIn(who, "team_id"))
  const inbox = new Inbox(endpoint, reading, people)
  if (appToken !== undefined) await openSocket(account, appToken, endpoint, inbox)
  const read: Parameters<typeof createHistory>[1] = async (message, channel) => {
    const event = messageEvent(message, channel, reading)
    return event?.user === undefined ? event : {...event, user: await people.complete(event.user)}
  }
  const verifier = signingSecret && (await endpoint.verifier({by: "slack", secret: signingSecret}))
  return {
    ...createActs(ask),
    ...createFiles(ask, account),
    ...createHistory(ask, read),
    ...createMembers(ask),
    channelOf: channelOfPress,
    answer: request => answerRequest(request, verifier, inbox),
  }
}
