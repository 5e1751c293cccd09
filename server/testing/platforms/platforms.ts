import {until} from "../asking.ts"
import {startDiscord as openDiscord} from "./discord/discord.ts"
import type {PlatformRequest, Refusal, Requests} from "./fake/platform.ts"
import {FakeSlack} from "./slack/slack.ts"
import {tokens} from "./slack/world.ts"
import {startTelegram as openTelegram} from "./telegram/telegram.ts"

export type {PlatformRequest, Refusal} from "./fake/platform.ts"

/** A message of the bot as the platform shows it now. */
export interface PlatformMessage {
  readonly id: string
  readonly channel: string
  readonly text: string
}

export interface SaidOptions {
  /** The id of the person. */
  readonly user?: string
  readonly channel?: string
}

/**
 * A protocol fake of a platform: a server of this machine that speaks as much of the platform's protocol as svc's adapter
 * needs, written from the platform's documentation. It is not the platform.
 */
export interface PlatformFake {
  /** The address of its API. */
  readonly url: string
  /** The entry of `plugins.<adapter>.endpoints` that connects to it. Its tokens are in variables of this process. */
  readonly account: Readonly<Record<string, string>>
  /** A person says something. Resolves once the bot has received it. */
  say(text: string, options?: SaidOptions): Promise<void>
  /** Delivers an event in the platform's own form. Resolves once the bot has received it. */
  deliver(event: Readonly<Record<string, unknown>>): Promise<void>
  /** The bot's messages, oldest first. */
  sent(): readonly PlatformMessage[]
  /** The bot's requests, oldest first. */
  readonly requests: readonly PlatformRequest[]
  /** Answers the next request of this method with a refusal, such as `{status: 403, body}`. */
  refuseNext(method: string, refusal: Refusal): void
  close(): Promise<void>
}

/** How long the bot may take to connect, in milliseconds. */
const patience = 30_000

/** Starts a protocol fake of the Bot API of Telegram. `deliver` takes an update without its `update_id`. */
export const startTelegram = (): Promise<PlatformFake> =>
  opened(async defer => {
    const token = "123456:a-protocol-fake"
    const fake = await openTelegram(defer, {token})
    const confirmed = (update: Readonly<Record<string, unknown>>) => fake.updates.confirmed([fake.push(update)])
    return {
      url: fake.url,
      account: accountOf("TELEGRAM", {token}, {apiRoot: fake.url}),
      say: (text, {user = "42", channel = user} = {}) => confirmed(fake.said({text, user, chat: channel})),
      deliver: confirmed,
      sent: () => fake.sent().map(({id, chat: channel, text}) => ({id, channel, text})),
      ...of(fake.requests),
    }
  })

/** Starts a protocol fake of the gateway and the HTTP API of Discord. `deliver` takes `{t, d}`. */
export const startDiscord = (): Promise<PlatformFake> =>
  opened(async defer => {
    const fake = await openDiscord(defer)
    const delivered = async (dispatch: () => unknown) => {
      await until("the bot to connect", patience, () => fake.sessions.connections > 0 && fake.sessions.identified > 0)
      dispatch()
      await fake.sessions.confirm()
    }
    return {
      url: fake.url,
      account: accountOf("DISCORD", {token: "bot-999.a-protocol-fake"}, {api: fake.url}),
      say: (text, {user = "42", channel = user} = {}) => delivered(() => fake.say({text, user, chat: channel})),
      deliver: ({t, d}) => delivered(() => fake.dispatch(String(t), d as Readonly<Record<string, unknown>>)),
      sent: () => fake.sent().map(({id, chat: channel, text}) => ({id, channel, text})),
      ...of(fake.requests),
    }
  })

/** Starts a protocol fake of Socket Mode and the Web API of Slack. `deliver` takes an event, an action or a command. */
export const startSlack = (): Promise<PlatformFake> =>
  opened(async defer => {
    const fake = await FakeSlack.start(defer)
    const delivered = async (deliver: () => Promise<boolean>) => {
      await until("the bot to connect", patience, () => fake.connections > 0)
      await deliver()
    }
    return {
      url: fake.url,
      account: accountOf("SLACK", {botToken: tokens.bot, appToken: tokens.app}, {api: `${fake.url}/api/`}),
      say: (text, {user = "U0ANN", channel = "C0ROOM"} = {}) =>
        delivered(() => fake.tell(fake.add(text, {user, channel}))),
      deliver: event =>
        delivered(() => {
          if ("command" in event) return fake.deliver("slash_commands", event)
          return /^(block_actions|view_submission)$/.test(String(event.type))
            ? fake.deliver("interactive", event)
            : fake.tell(event)
        }),
      sent: () =>
        fake.world.messages
          .filter(({bot_id}) => bot_id !== undefined)
          .map(({ts: id, channel, shown: text}) => ({id, channel, text})),
      ...of(fake.requests),
    }
  })

type Undo = () => unknown

const opened = async (open: (defer: (undo: Undo) => void) => Promise<Omit<PlatformFake, "close">>) => {
  const undos: Undo[] = []
  const fake = await open(undo => undos.unshift(undo))
  const close = async () => {
    for (const undo of undos.splice(0)) await undo()
  }
  return {...fake, close}
}

const of = (requests: Requests): Pick<PlatformFake, "requests" | "refuseNext"> => ({
  requests: requests.received,
  refuseNext: (method, refusal) => requests.refuseNext(method, refusal),
})

/** Secrets come from variables only. */
const accountOf = (name: string, secrets: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>) => {
  const named = Object.entries(secrets).map(([key, value]) => {
    const variable = `SVC_FAKE_${name}_${key.toUpperCase()}`
    process.env[variable] = value
    return [key, `\${${variable}}`]
  })
  return {id: "fake", ...Object.fromEntries(named), ...more}
}
