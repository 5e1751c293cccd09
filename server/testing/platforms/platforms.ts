import {until} from "../asking.ts"
import {startDiscord as openDiscord} from "./discord/discord.ts"
import type {FakeAnswer, PlatformRequest, Refusal, Requests} from "./fake/platform.ts"
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

export interface PersonOptions {
  /** The id of the person. */
  readonly user?: string
}

export interface SaidOptions extends PersonOptions {
  readonly channel?: string
  /** The id of the message that it answers; in Slack, of the root of its thread. */
  readonly quote?: string
}

export interface PressedOptions extends PersonOptions {
  /** The id of the message with the button; the newest one that has it when left out. */
  readonly message?: string
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
  /** A person says something. Resolves to the message's id once the bot has received it. */
  say(text: string, options?: SaidOptions): Promise<string>
  /**
   * A person presses the newest button of the bot, or option of a menu, with this label. Resolves once the bot has
   * received it. Rejects with the labels that there are if no message has the button.
   */
  press(label: string, options?: PressedOptions): Promise<void>
  /**
   * A person votes in the bot's poll with this message id, in place of an earlier vote. Resolves once a bot that hears
   * of votes has received it. Rejects for a closed poll, an unknown option, and in Slack, which has no polls.
   */
  vote(message: string, options: string | readonly string[], by?: PersonOptions): Promise<void>
  /** Delivers an event in the platform's own form. Resolves once the bot has received it. */
  deliver(event: Readonly<Record<string, unknown>>): Promise<void>
  /** The bot's messages, oldest first. */
  sent(): readonly PlatformMessage[]
  /** The ids of a channel's pinned messages, the last pinned one last. */
  pinned(channel: string): readonly string[]
  /** The bot's requests, oldest first. */
  readonly requests: readonly PlatformRequest[]
  /** The methods that the fake answers on its own; `:word` stands for any part of a path. It refuses others by name. */
  readonly known: readonly string[]
  /** Answers the next request of this method with a refusal, such as `{status: 403, body}`. */
  refuseNext(method: string, refusal: Refusal): void
  /**
   * Answers the next request of any method of the platform with success: `result` is Telegram's `result`, Discord's
   * body, or the fields of Slack's answer beside `ok`. Left out, the answer is `true`, no body, or `ok` alone.
   */
  answerNext(method: string, result?: unknown): void
  close(): Promise<void>
}

/** How long the bot may take to connect, in milliseconds. */
const patience = 30_000

/** Starts a protocol fake of the Bot API of Telegram. `deliver` takes an update without its `update_id`. */
export const startTelegram = (): Promise<PlatformFake> =>
  opened(async defer => {
    const token = "123456:a-protocol-fake"
    const fake = await openTelegram(defer, {token})
    const confirmed = (id: number) => fake.updates.confirmed([id])
    return {
      url: fake.url,
      account: accountOf("TELEGRAM", {token}, {apiRoot: fake.url}),
      say: async (text, {user = "42", channel = user, quote} = {}) => {
        const update = fake.said({text, user, chat: channel, quote})
        await confirmed(fake.push(update))
        return String(update.message.message_id)
      },
      press: async (label, by) => confirmed(fake.press(label, by)),
      vote: async (message, options, {user} = {}) => confirmed(fake.vote(message, [options].flat(), user)),
      deliver: update => confirmed(fake.push(update)),
      sent: () => fake.sent().map(({id, chat: channel, text}) => ({id, channel, text})),
      pinned: channel => fake.pinned(channel),
      ...of(fake.requests, (result = true) => ({status: 200, body: {ok: true, result}})),
    }
  })

/** Starts a protocol fake of the gateway and the HTTP API of Discord. `deliver` takes `{t, d}`. */
export const startDiscord = (): Promise<PlatformFake> =>
  opened(async defer => {
    const fake = await openDiscord(defer)
    const delivered = async <T>(dispatch: () => T): Promise<T> => {
      await until("the bot to connect", patience, () => fake.sessions.connections > 0 && fake.sessions.identified > 0)
      const done = dispatch()
      await fake.sessions.confirm()
      return done
    }
    return {
      url: fake.url,
      account: accountOf("DISCORD", {token: "bot-999.a-protocol-fake"}, {api: fake.url}),
      say: async (content, {user = "42", channel = user, quote} = {}) => {
        if (quote !== undefined && !fake.world.messages.has(quote))
          throw new Error(`there is no message ${quote} to quote`)
        const reference = quote === undefined ? {} : {reference: quote}
        const said = {channel, content, author: fake.world.user(user), ...reference}
        return (await delivered(() => fake.write(said))).id
      },
      press: (label, by) => delivered(() => fake.press(label, by)),
      vote: (message, options, {user} = {}) => delivered(() => fake.vote(message, [options].flat(), user)),
      deliver: ({t, d}) => delivered(() => fake.dispatch(String(t), d as Readonly<Record<string, unknown>>)),
      sent: () => fake.sent().map(({id, chat: channel, text}) => ({id, channel, text})),
      pinned: channel => fake.world.pins.of(channel),
      ...of(fake.requests, body => (body === undefined ? {status: 204} : {status: 200, body})),
    }
  })

/** Starts a protocol fake of Socket Mode and the Web API of Slack. `deliver` takes an event, an action or a command. */
export const startSlack = (): Promise<PlatformFake> =>
  opened(async defer => {
    const fake = await FakeSlack.start(defer)
    const delivered = async (deliver: () => Promise<unknown>) => {
      await until("the bot to connect", patience, () => fake.connections > 0)
      await deliver()
    }
    return {
      url: fake.url,
      account: accountOf("SLACK", {botToken: tokens.bot, appToken: tokens.app}, {api: `${fake.url}/api/`}),
      say: async (text, {user = "U0ANN", channel = "C0ROOM", quote} = {}) => {
        if (quote !== undefined && fake.world.find(channel, quote) === undefined)
          throw new Error(`there is no message ${quote} to quote`)
        const said = fake.add(text, {user, channel, thread_ts: quote})
        await delivered(() => fake.tell(said))
        return String(said.ts)
      },
      press: (label, by) => delivered(() => fake.press(label, by)),
      vote: () => Promise.reject(new Error("Slack has no polls")),
      deliver: event =>
        delivered(() => {
          if ("command" in event) return fake.deliver("slash_commands", event)
          return /^(block_actions|view_submission)$/.test(String(event.type))
            ? fake.deliver("interactive", event)
            : fake.tell(event)
        }),
      sent: () => fake.own().map(({ts: id, channel, shown: text}) => ({id, channel, text})),
      pinned: channel => fake.world.pins.of(channel),
      ...of(fake.requests, fields => ({status: 200, body: {ok: true, ...(fields as object)}})),
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

const of = (
  requests: Requests,
  successOf: (result: unknown) => FakeAnswer,
): Pick<PlatformFake, "requests" | "known" | "refuseNext" | "answerNext"> => ({
  requests: requests.received,
  known: requests.known,
  refuseNext: (method, refusal) => requests.order(method, refusal),
  answerNext: (method, result) => requests.order(method, successOf(result)),
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
