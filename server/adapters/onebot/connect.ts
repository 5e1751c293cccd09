import {type Endpoint, isProblem, type Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {type Ask, isRecord} from "./api.ts"
import {toEvent} from "./events.ts"
import {createHook} from "./hook.ts"
import {askByHttp} from "./http.ts"
import {createCall} from "./methods.ts"
import {createActs} from "./send.ts"
import {openSocket} from "./socket.ts"

type Payload = Readonly<Record<string, unknown>>

export interface Opened extends Sender {
  readonly hook: (request: Request) => Promise<Response>
}

/** After so many intervals without a heartbeat the connection is taken for dead. */
const missedHeartbeats = 3

export const isSocket = ({url}: AccountSettings): boolean => url.startsWith("ws")

/** Connects, and asks who the bot is. Throws a refusal where the token is refused. */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Opened> => {
  const watch = watchHeart(endpoint)
  let self = ""
  const take = async (payload: Payload) => {
    // Several bots of one implementation may post to one address.
    const isOthers = self !== "" && payload.self_id !== undefined && String(payload.self_id) !== self
    if (isOthers) return endpoint.log.debug(`skipped an event of the bot ${String(payload.self_id).slice(0, 100)}`)
    if (payload.post_type === "meta_event") return watch(payload)
    const event = toEvent(payload)
    if (event === undefined) endpoint.log.debug(`skipped an event ${String(payload.post_type).slice(0, 100)}`)
    else await endpoint.receive(event)
  }
  const ask = await openApi(account, endpoint, payload => void take(payload).catch(error => tell(endpoint, error)))
  self = await logIn(ask, endpoint)
  const hook = createHook(account, payload =>
    take(payload).catch(error => {
      // The implementation posts nothing again: an event that is not valid is dropped.
      if (!isProblem(error, "event_invalid")) throw error
      tell(endpoint, error)
    }),
  )
  return {...createActs(ask, account, element => endpoint.file(element)), call: createCall(ask), hook}
}

const openApi = async (
  account: AccountSettings,
  endpoint: Endpoint,
  event: (payload: Payload) => void,
): Promise<Ask> => {
  if (!isSocket(account)) return askByHttp(account)
  const listener = {event, closed: (error: Error) => endpoint.lost(error)}
  const socket = await openSocket(account, listener, endpoint.signal)
  endpoint.defer(() => socket.close())
  return socket.ask
}

const tell = ({log}: Endpoint, error: Error): void => {
  const level = isProblem(error, "ingress_paused") ? "debug" : "error"
  log[level](`an event was not stored: ${error.message}`, {error})
}

/** Resolves to the bot's id. */
const logIn = async (ask: Ask, endpoint: Endpoint): Promise<string> => {
  const status = await ask("get_status", {}, endpoint.signal)
  if (isRecord(status) && status.online === false)
    throw new Error("the implementation is not logged in to its platform")
  const info = await ask("get_login_info", {}, endpoint.signal)
  if (!isRecord(info) || info.user_id === undefined) throw new Error("get_login_info names no user")
  const {user_id: id, nickname} = info
  const name = typeof nickname === "string" && nickname !== "" ? {name: nickname} : {}
  endpoint.login({platform: "onebot", user: {id: String(id), ...name, is_bot: true}, status: 1})
  return String(id)
}

/** Heartbeats tell whether the implementation is logged in, and that the connection lives. */
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
