import {channelType, refused} from "../../../shared/sdk/sdk.ts"
import type {Methods} from "../satori/api.ts"
import {type Fields, fieldsOf, listOf, textIn} from "../satori/fields.ts"
import {failureOf} from "./failures.ts"
import type {Bot, Session} from "./koishi.ts"
import type {RunningBot} from "./run.ts"
import type {Stock} from "./stock.ts"

/** The number of channels whose last message is remembered. */
const remembered = 500

/** The last message of each channel. Platforms with passive answers, topics or several bots need it to send there. */
export class LastSessions {
  readonly #sessions = new Map<string, Session>()

  learn(session: Session): void {
    const {channelId: channel, type} = session
    if (channel === undefined || !/^message(-created)?$/.test(type)) return
    this.#sessions.delete(channel)
    this.#sessions.set(channel, session)
    for (const [oldest] of this.#sessions) if (this.#sessions.size > remembered) this.#sessions.delete(oldest)
  }

  of(channel: unknown): Session | undefined {
    return typeof channel === "string" ? this.#sessions.get(channel) : undefined
  }
}

/** The Satori methods, implemented by the bot itself. */
export class BotMethods implements Methods {
  readonly #stock: Stock
  readonly #running: RunningBot
  readonly #sessions: LastSessions

  constructor(stock: Stock, running: RunningBot, sessions: LastSessions) {
    this.#stock = stock
    this.#running = running
    this.#sessions = sessions
  }

  async call(method: string, params: unknown): Promise<unknown> {
    const {core, veil, name} = this.#stock
    const given = fieldsOf(core.Universal.transformKey(params, core.camelCase))
    const session = this.#sessions.of(given.channelId)
    const bot = session?.bot ?? this.#running.bot
    const known = core.Universal.Methods[method]
    const act: unknown = known && Reflect.get(bot, known.name)
    if (known === undefined || typeof act !== "function") throw lacking(method, name)
    try {
      const answer = await (method === "message.create"
        ? send(bot, given, session)
        : Reflect.apply(
            act,
            bot,
            known.fields.map(field => given[core.camelCase(field.name)]),
          ))
      return veil.data(core.Universal.transformKey(answer, core.snakeCase))
    } catch (error) {
      throw failureOf(error, veil)
    }
  }

  async open(link: string, signal: AbortSignal): Promise<Response | undefined> {
    try {
      const url = URL.parse(link)
      if (url?.protocol === "internal:") {
        const {status, headers, body} = await this.#running.context.satori.handleInternalRoute("GET", url)
        return new Response(body ?? null, {status, ...(headers === undefined ? {} : {headers})})
      }
      // The bot's own platform, asked without its credentials.
      if (url !== null && url.origin === originOf(this.#stock)) return await fetch(url, {signal, redirect: "error"})
      return undefined
    } catch (error) {
      throw failureOf(error, this.#stock.veil)
    }
  }
}

/** Returns the origin of the platform's API, if the adapter's configuration has it. */
export const originOf = ({config}: Pick<Stock, "config">): string | undefined =>
  URL.parse(textIn(config, "endpoint") ?? "")?.origin

const send = async (bot: Bot, {channelId, content}: Fields, session: Session | undefined): Promise<unknown> => {
  const options = session === undefined ? {} : {session}
  const made = await bot.createMessage(String(channelId), String(content), undefined, options)
  if (listOf(made).length === 0) throw nothingSent()
  return listOf(made).map(message => ({id: fieldsOf(message).id, channel: {id: channelId, type: channelType.text}}))
}

const nothingSent = () =>
  refused("the adapter sent nothing: it supports no part of the message, or hides the platform's refusal", {
    reason: "unsupported",
    remediation: "Send text, or a kind of file that the adapter supports.",
  })

const lacking = (method: string, name: string): Error =>
  refused(`${name} has no ${method}`, {
    reason: "unsupported",
    remediation: "Do not use this act: the adapter does not support it.",
  })
