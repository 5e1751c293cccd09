import type {OutboxDetail} from "../../shared/api/messages.ts"
import type {Host} from "../host/open/host.ts"
import {lastMessage, pendingHandlers, pendingRuns, pendingSends, sentAfter} from "../host/pending.ts"
import {uuid} from "../runtime/uuid.ts"
import {apiBy, ask, until} from "./asking.ts"
import {messages} from "./room.ts"
import {type UnderTest, untilDone, untilQuiet} from "./waiting.ts"

export interface TestFile {
  /** The file name; `file` with a number when left out. */
  readonly name?: string
  /** The MIME type. `image/…` makes an `img` element, `audio/…` and `video/…` one of that name, all else a `file`. */
  readonly type?: string
  /** The content; text is sent as UTF-8. */
  readonly bytes: Uint8Array | string
}

export interface ActOptions {
  /** The user who acts; `tester` when left out. */
  readonly user?: string
  /** The channel; `test` when left out. */
  readonly channel?: string
  /** True for a shared channel, where the bot reacts only to commands with a prefix or with its name. */
  readonly group?: boolean
  /** The ids of the user's roles in a shared channel; none when left out. */
  readonly roles?: readonly string[]
  /** The user's language as the platform reports it, such as `de-AT`; none when left out. */
  readonly language?: string
}

export interface PressOptions extends ActOptions {
  /** The message with the button, or its id; the newest one that has it when left out. */
  readonly message?: {readonly id: string} | string
}

export interface SayOptions extends ActOptions {
  /** Files sent with the text, at most 512 KiB together. */
  readonly files?: readonly TestFile[]
  /** The message that it answers, by its id in `bot.messages()`. */
  readonly quote?: string
}

export interface FireOptions {
  /** The data of the scheduled job; the job's schema checks it. */
  readonly data?: unknown
  /** The name of the plugin that declares the job; the only one that does when left out. */
  readonly plugin?: string
}

/** @internal How long the sandbox or a webhook may take to open, in milliseconds. */
export const startLimit = 30_000

export interface Sent {
  readonly endpoint: string
  readonly channel: string
  readonly text: string
}

/** The same for the other endpoints, whose platform may never answer. */
const connectLimit = 5000

/** @internal Resolves once the endpoints have connected or failed, and the plugins' `onStart` functions have ended. */
export const started = async (bot: UnderTest): Promise<void> => {
  const {endpoints} = bot.host
  const isNew = (is = "idle") => ["idle", "connecting"].includes(is)
  await until("the sandbox to be online", startLimit, () => endpoints.get("sandbox")?.state.is === "online")
  await until(
    "a platform",
    connectLimit,
    () => !endpoints.list().some(({spec, state}) => spec.open && isNew(state.is)),
  ).catch(() => {})
  await untilQuiet(bot, "the start of the bot")
}

/** @internal Sends a message in the sandbox. Resolves to the replies as plain text. */
export const say = (
  bot: UnderTest,
  text: string,
  {files = [], quote, ...options}: SayOptions = {},
): Promise<readonly string[]> =>
  act(
    bot,
    `say(${JSON.stringify(text.slice(0, 60))})`,
    {path: "messages", done: {text, quote, files: files.length === 0 ? undefined : files.map(encodeFile)}},
    options,
  )

/** @internal Presses a button in the sandbox, or fills in a form if there are values. Resolves to the replies. */
export const press = (
  bot: UnderTest,
  button: string,
  {message, ...options}: PressOptions = {},
  values?: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const what = `${values === undefined ? "press" : "fill"}(${JSON.stringify(button)})`
  const done = {button, values, message: typeof message === "object" ? message.id : message}
  return act(bot, what, {path: "press", done}, options)
}

const act = async (
  bot: UnderTest,
  what: string,
  {path, done}: {readonly path: string; readonly done: object},
  {user = "tester", channel = "test", group, roles, language}: ActOptions = {},
): Promise<readonly string[]> => {
  const {host} = bot
  const body = {...done, user, channel, group, roles, locale: language}
  const {sn} = await ask<{readonly sn: number}>(host, `/api/plugins/sandbox/${path}`, body)
  const {replies, event} = await endOf(bot, what, sn)
  const shown = await messages(bot, channel)
  const acts = replies.filter(id => !shown.some(message => message.id === id))
  const changed = await Promise.all(acts.map(async id => editedBy(await apiOf(host).get("/api/outbox/:id", {id}))))
  const isPressed = (id: string) => event.button !== undefined && id === event.message?.id && changed.includes(id)
  return shown.filter(({id}) => replies.includes(id) || isPressed(id)).map(message => message.text)
}

/** @internal Resolves to an event once its handlers have ended and their messages are sent. */
export const endOf = async (bot: UnderTest, what: string, sn: number) => {
  const {host} = bot
  await untilDone(bot, what, async () => [
    ...(await pendingHandlers(host, {sql: "m.seq = ?", args: [sn]})),
    ...(await pendingSends(host, {sql: "inbox_seq = ?", args: [sn]})),
  ])
  return apiOf(host).get("/api/inbox/:seq", {seq: sn})
}

/** Returns the outbox id of the message that an edit changes. */
const editedBy = ({kind, content}: OutboxDetail): string | undefined =>
  kind === "edit" ? (content as {readonly message: {readonly outbox?: string}}).message.outbox : undefined

/** @internal */
export const apiOf = (host: Host) => apiBy((path, body) => ask(host, path, body))

const encodeFile = ({name, type, bytes}: TestFile, index: number) => ({
  name: name ?? `file ${index + 1}`,
  ...(type === undefined ? {} : {type}),
  data: Buffer.from(bytes).toString("base64"),
})

/**
 * @internal Runs a plugin's job once, as `svc schedule run` does, through a temporary scheduled job. Resolves to the messages of
 * the job once they are sent. Rejects with the error of a run that does not succeed.
 */
export const fire = async (
  bot: UnderTest,
  job: string,
  {plugin, data}: {readonly plugin: string; readonly data?: unknown},
): Promise<readonly Sent[]> => {
  const {host} = bot
  const api = apiOf(host)
  const id = `test-${uuid()}`
  const target = {plugin, job, ...(data === undefined ? {} : {data})}
  await api.post("/api/jobs", {body: {id, schedule: {at: "9999-12-31T00:00"}, timezone: "UTC", target}})
  const since = await lastMessage(host)
  const what = `fire(${JSON.stringify(job)})`
  try {
    const run = await api.post("/api/jobs/:id/run", {id})
    await untilDone(bot, what, () => pendingRun(host, run.id, job))
  } finally {
    await api.post("/api/jobs/:id/remove", {id})
  }
  await untilDone(bot, what, () => pendingSends(host, {sql: "seq > ? AND inbox_seq IS NULL", args: [since]}))
  // Messages that answer no event.
  return sentAs(host, await sentAfter(host, since))
}

/** Replaces the name of the temporary scheduled job, which the test does not know. */
const pendingRun = async (host: Host, id: string, job: string) =>
  (await pendingRuns(host, {sql: "run_id = ?", args: [id]})).map(run => ({
    ...run,
    text: run.text.replace(/job test-\S+/, `job ${job}`),
  }))

/** @internal Returns messages by their ids, with the text that the sandbox shows. */
export const sentAs = (host: Host, ids: readonly string[]): Promise<readonly Sent[]> =>
  Promise.all(
    ids.map(async id => {
      const {endpoint, channel, text} = await apiOf(host).get("/api/outbox/:id", {id})
      const shown = endpoint === "sandbox" ? await messages({host}, channel) : []
      return {endpoint, channel, text: shown.find(message => message.id === id)?.text ?? text}
    }),
  )
