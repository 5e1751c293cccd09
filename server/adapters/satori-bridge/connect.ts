import type {Endpoint, Feature, Sender} from "../../../shared/sdk/sdk.ts"
import {features as satoriFeatures, senderOf} from "../satori/acts.ts"
import {fieldsOf, textIn} from "../satori/fields.ts"
import {Channels} from "../satori/history.ts"
import {Intake} from "../satori/intake.ts"
import {loginStatus} from "../satori/protocol.ts"
import type {AccountSettings} from "./account.ts"
import {mendEdits, refuseFiles} from "./edits.ts"
import {connectionError} from "./failures.ts"
import {LentFiles} from "./files.ts"
import {fileElementOf} from "./known.ts"
import type {Bot, Session} from "./koishi.ts"
import {BotMethods, LastSessions, originOf} from "./methods.ts"
import {incomingFrom} from "./receive.ts"
import {runBot} from "./run.ts"
import {loadStock, type Stock} from "./stock.ts"
import {fileScheme, gateTelegram, isTelegram, keepsFor} from "./telegram.ts"

export const features: readonly Feature[] = satoriFeatures.filter(feature => feature !== "upload")

/** Runs the account's adapter. Resolves once its bot is online. Throws a refusal if it cannot work. */
export const connect = async (account: AccountSettings, endpoint: Endpoint): Promise<Sender> => {
  const stock = await loadStock(account, endpoint.load)
  const intake = new Intake(endpoint, {url: "", sn: undefined})
  const sessions = new LastSessions()
  const files = new LentFiles(endpoint, fileElementOf(stock.name))
  const opened = Promise.withResolvers<void>()
  const proxies = proxiesOf(stock)
  const lost = (error: unknown) => endpoint.lost(connectionError(error, stock))
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
    connecting: bot => {
      mendEdits(bot, stock)
      if (isTelegram(stock))
        gateTelegram(bot, stock, {opened: opened.promise, stored: () => intake.stored(), lost, log: endpoint.log})
    },
  })
  const api = new BotMethods(stock, running, sessions)
  files.serve(running.context, link => api.open(link, endpoint.signal))
  endpoint.login({platform: running.bot.platform, user: userOf(running.bot, stock), status: loginStatus.online})
  if (isTelegram(stock)) endpoint.covers(Date.now() - keepsFor)
  intake.open()
  opened.resolve()
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

/** Returns prefixes of addresses that the adapter opens for the Host: Telegram's files, and the bot's own platform. */
const proxiesOf = (stock: Stock): readonly string[] => {
  const origin = originOf(stock)
  return [fileScheme, ...(origin === undefined ? [] : [`${origin}/`])]
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
