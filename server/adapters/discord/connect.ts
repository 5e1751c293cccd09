import {type Endpoint, type Incoming, refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {createActs} from "./acts/acts.ts"
import {createCommands} from "./acts/commands.ts"
import {createDownload} from "./acts/download.ts"
import {createHistory} from "./acts/history.ts"
import {createCall} from "./acts/methods.ts"
import {createSend} from "./acts/send.ts"
import {type AccountSettings, intentsOf} from "./api/account.ts"
import {type Api, createApi, type RestLibrary} from "./api/api.ts"
import {numberIn, payloadOf, textIn} from "./api/payload.ts"
import {Places} from "./api/places.ts"
import {isRead, readEvent} from "./gateway/events.ts"
import {explainEnd} from "./gateway/explain.ts"
import {Gateway, GatewayClosed, type GatewayLibrary} from "./gateway/gateway.ts"
import {Intake, type Translate} from "./gateway/intake.ts"
import {accountKey, isGateway, readCursor, type Session} from "./gateway/session.ts"
import {createAnswers} from "./interactions/answer.ts"
import {SentForms} from "./interactions/forms.ts"
import {readInteraction} from "./interactions/read.ts"
import {createHook} from "./interactions/webhook.ts"

export interface Opened extends Sender {
  /** Handles requests that Discord posts. */
  readonly hook: (request: Request) => Promise<Response>
}

/**
 * Connects: resumes the session of the cursor, or starts a new one. Throws a refusal if Discord rejects the bot
 * permanently.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint<Incoming>): Promise<Opened> => {
  const [library, rest] = await Promise.all([
    endpoint.load<GatewayLibrary>("@discordjs/ws"),
    endpoint.load<RestLibrary>("@discordjs/rest"),
  ])
  const api = createApi(rest, account)
  endpoint.defer(() => api.close())
  const places = new Places()
  const forms = new SentForms()
  const answers = createAnswers(api, endpoint)
  const read = (data: Parameters<typeof readInteraction>[0]) => readInteraction(data, {places, form: forms.find})
  const translate: Translate = (dispatch, session) => {
    if (dispatch.name !== "INTERACTION_CREATE" && !isRead(dispatch.name)) endpoint.unknown(dispatch.name)
    if (dispatch.name !== "INTERACTION_CREATE")
      return {events: readEvent(dispatch, {places, me: session.user.id, session})}
    const interaction = read(dispatch.data)
    return {events: interaction?.events ?? [], stored: () => interaction && answers.answer(interaction)}
  }
  const {gateway, intake, session} = await openGateway(library, account, endpoint, {api, translate}).catch(error => {
    throw explainEnd(error, account)
  })
  endpoint.covers(session.since)
  endpoint.login({platform: "discord", user: session.user, status: 1})
  void gateway.ended.then(why => endpoint.lost(explainEnd(why, account)))
  return {
    ...createSend({api, endpoint, forms}),
    ...createActs(api),
    history: createHistory(api, places),
    download: createDownload(api, account),
    commands: createCommands(api, account.applicationId ?? session.application),
    call: createCall(api),
    lag: () => performance.now() - Math.min(gateway.complete, intake.oldest),
    catchUp: async signal => {
      await gateway.catchUp(signal)
      await intake.drained()
    },
    hook: createHook({publicKey: account.publicKey, endpoint, read, answered: answers.answered}),
  }
}

interface Opening {
  readonly api: Api
  readonly translate: Translate
}

interface Connection {
  readonly gateway: Gateway
  readonly intake: Intake
  readonly session: Session
}

const openGateway = async (
  library: GatewayLibrary,
  account: AccountSettings,
  endpoint: Endpoint<Incoming>,
  {api, translate}: Opening,
): Promise<Connection> => {
  const token = account.token.reveal()
  const intents = intentsOf(account)
  const key = accountKey(token, intents)
  const begin = async (url: string, session?: Session): Promise<Connection> => {
    const intake = new Intake({endpoint, translate})
    const gateway = new Gateway({
      library,
      token,
      intents,
      account: key,
      url,
      session,
      dispatch: dispatch => intake.push(dispatch),
      unknown: what => endpoint.unknown(what),
    })
    endpoint.defer(() => gateway.close())
    const begun = await gateway.connect()
    await intake.begin(session ?? begun, session === undefined)
    return {gateway, intake, session: begun}
  }
  const stored = readCursor(endpoint.cursor, key)
  const resumed =
    stored &&
    (await begin(stored.url, stored).catch((error: unknown) => {
      if (!(error instanceof GatewayClosed && error.isSessionGone)) throw error
      endpoint.log.info(`Discord no longer knows the session; starting a new one: ${error.message}`)
    }))
  return resumed ?? begin(await findGateway(api, endpoint.signal))
}

/** Returns the gateway's address. Throws if Discord allows no new session. */
const findGateway = async (api: Api, signal: AbortSignal): Promise<string> => {
  const answer = payloadOf(await api.ask("GET", "/gateway/bot", {}, signal))
  const url = textIn(answer, "url")
  const limit = payloadOf(answer.session_start_limit)
  if (numberIn(limit, "remaining") === 0) {
    const seconds = Math.ceil((numberIn(limit, "reset_after") ?? 0) / 1000)
    throw new Error(`Discord allows no new session for ${seconds} s: the bot started too many within a day`)
  }
  if (isGateway(url)) return url
  throw refused("Discord returned no gateway", {
    passing: true,
    reason: "gateway",
    remediation:
      "Correct api in the account: it must be the address of Discord's API, such as https://discord.com/api.",
  })
}
