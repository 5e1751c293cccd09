import {type Endpoint, isProblem, type Sender, withDeadline} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, type Transport, transportOf} from "./account.ts"
import {type Ask, isRecord} from "./api.ts"
import {isUnknown, toEvent} from "./events.ts"
import {createHistory} from "./history.ts"
import {createHook, scheme} from "./hook.ts"
import {askByHttp} from "./http.ts"
import {createCall} from "./methods.ts"
import {ReverseSockets} from "./reverse.ts"
import {createActs} from "./send.ts"
import {type Listener, openSocket} from "./socket.ts"

type Payload = Readonly<Record<string, unknown>>

export interface Opened extends Sender {
  readonly hook: (request: Request) => Promise<Response>
}

/** After this many intervals without a heartbeat, the connection counts as dead. */
const missedHeartbeats = 3

/** The timeout for the login request, in milliseconds. */
const logInPatience = 30_000

/**
 * Connects and asks for the bot's user. Throws a refusal if the implementation rejects the token, or if the settings
 * are inconsistent.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Opened> => {
  const transport = transportOf(account)
  const watch = watchHeart(endpoint)
  let self = ""
  const take = async (payload: Payload, id?: string) => {
    // Several bots on one implementation may post to one address.
    const isOthers = self !== "" && payload.self_id !== undefined && String(payload.self_id) !== self
    if (isOthers) return endpoint.log.debug(`skipped an event of another bot, ${String(payload.self_id).slice(0, 100)}`)
    if (payload.post_type === "meta_event") return watch(payload)
    const event = toEvent(payload, id)
    if (event !== undefined) await endpoint.receive(event)
    else if (isUnknown(payload)) endpoint.unknown(String(payload.post_type))
  }
  const ask = await openApi(transport, account, endpoint, payload =>
    take(payload).catch(error => tell(endpoint, error)),
  )
  self = await withDeadline(logInPatience, signal => logIn(ask, endpoint, signal), endpoint.signal)
  if (transport.is === "reverse" && self !== transport.selfId)
    throw new Error(`the implementation is logged in as ${self}; reverse.selfId is ${transport.selfId}`)
  const verifier = account.secret && (await endpoint.verifier({...scheme, secret: account.secret}))
  const hook = createHook(verifier, (payload, id) =>
    take(payload, id).catch(error => {
      tell(endpoint, error)
      throw error
    }),
  )
  const acts = createActs(ask, account, element => endpoint.file(element))
  return {...acts, history: createHistory(ask), call: createCall(ask), hook}
}

const openApi = async (
  transport: Transport,
  {accessToken}: AccountSettings,
  endpoint: Endpoint,
  event: (payload: Payload) => Promise<void>,
): Promise<Ask> => {
  const listener: Listener = {
    event: payload => void event(payload),
    closed: (error, known) => endpoint.lost(error, known),
  }
  if (transport.is === "reverse") return new ReverseSockets(transport, endpoint, listener).open()
  const server = {url: transport.url, accessToken}
  if (transport.is === "http") return askByHttp(server)
  const socket = await openSocket(server, listener, endpoint)
  endpoint.defer(() => socket.close())
  return socket.ask
}

const tell = ({log}: Endpoint, error: Error): void => {
  const level = isProblem(error, "ingress_paused") ? "debug" : "error"
  log[level](`could not store an event: ${error.message}`, {error})
}

/** Resolves to the bot's id. */
const logIn = async (ask: Ask, endpoint: Endpoint, signal: AbortSignal): Promise<string> => {
  const status = await ask("get_status", {}, signal)
  if (isRecord(status) && status.online === false)
    throw new Error("the implementation is not logged in to its platform")
  const info = await ask("get_login_info", {}, signal)
  if (!isRecord(info) || info.user_id === undefined) throw new Error("get_login_info returned no user")
  const {user_id: id, nickname} = info
  const name = typeof nickname === "string" && nickname !== "" ? {name: nickname} : {}
  endpoint.login({platform: "onebot", user: {id: String(id), ...name, is_bot: true}, status: 1})
  return String(id)
}

/** Watches heartbeats, which show that the connection is alive and the implementation logged in. */
const watchHeart = (endpoint: Endpoint): ((payload: Payload) => void) => {
  let late: NodeJS.Timeout | undefined
  endpoint.defer(() => clearTimeout(late))
  return ({meta_event_type: type, status, interval}) => {
    if (type !== "heartbeat" || endpoint.signal.aborted) return
    if (isRecord(status) && status.online === false)
      return endpoint.lost(new Error("the implementation lost its login to its platform"))
    clearTimeout(late)
    const since = Date.now()
    if (typeof interval === "number" && interval >= 1000 && interval <= 600_000)
      late = setTimeout(
        () => endpoint.lost(new Error("the heartbeats have stopped"), {since}),
        interval * missedHeartbeats,
      )
  }
}
