import type {Endpoint, Feature, Sender} from "../../../shared/sdk/sdk.ts"
import {features as satoriFeatures, senderOf} from "../satori/acts.ts"
import {fieldsOf, textIn} from "../satori/fields.ts"
import {Channels} from "../satori/history.ts"
import {Intake} from "../satori/intake.ts"
import {loginStatus} from "../satori/protocol.ts"
import type {AccountSettings} from "./account.ts"
import {refuseFiles} from "./edits.ts"
import {LentFiles} from "./files.ts"
import type {Bot, Session} from "./koishi.ts"
import {BotMethods, LastSessions, originOf} from "./methods.ts"
import {incomingFrom} from "./receive.ts"
import {runBot} from "./run.ts"
import {loadStock, type Stock} from "./stock.ts"

export const features: readonly Feature[] = satoriFeatures.filter(feature => feature !== "upload")

/** Runs the account's adapter. Resolves once its bot is online. Throws a refusal if it cannot work. */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Sender> => {
  const stock = await loadStock(account, endpoint.load)
  const intake = new Intake(endpoint, {url: "", sn: undefined})
  const sessions = new LastSessions()
  const files = new LentFiles(endpoint)
  const proxies = proxiesOf(stock)
  const heard = (session: Session) => {
    if (endpoint.signal.aborted) return
    sessions.learn(session)
    intake.add(readSession(session, stock, proxies, endpoint), undefined)
  }
  const running = await runBot(stock, {
    signal: endpoint.signal,
    log: endpoint.log,
    defer: undo => endpoint.defer(undo),
    heard,
    lost: error => endpoint.lost(error),
  })
  const api = new BotMethods(stock, running, sessions)
  files.serve(running.context, link => api.open(link, endpoint.signal))
  endpoint.login({platform: running.bot.platform, user: userOf(running.bot, stock), status: loginStatus.online})
  intake.open()
  const sender = senderOf({
    api,
    login: {features: running.bot.features},
    channels: new Channels(api),
    proxies: () => proxies,
  })
  return {
    ...sender,
    send: ({content, ...message}, signal) =>
      files.during(content, shown => sender.send({...message, content: shown}, signal)),
    edit: async (edit, signal) => {
      refuseFiles(edit.content)
      await sender.edit(edit, signal)
    },
  }
}

/** Returns prefixes of addresses that the adapter opens for the Host: those of the bot's own platform. */
const proxiesOf = (stock: Stock): readonly string[] => {
  const origin = originOf(stock)
  return origin === undefined ? [] : [`${origin}/`]
}

/** An unreadable event must not end the connection. */
const readSession = (session: Session, stock: Stock, proxies: readonly string[], {log}: Pick<Endpoint, "log">) => {
  try {
    return incomingFrom(session, stock, proxies)
  } catch (error) {
    log.warn(`dropped an event of the adapter: ${stock.veil.reason(error)}`)
    return undefined
  }
}

const userOf = (bot: Bot, {veil}: Stock) => {
  const user = fieldsOf(veil.data(bot.user))
  const name = textIn(user, "name") ?? textIn(user, "nick")
  return {id: bot.selfId ?? "", is_bot: true, ...(name === undefined ? {} : {name})}
}
