import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {type Act, type FakeAnswer, Requests, type Said} from "../fake/platform.ts"
import {type Defer, listen} from "../fake/serve.ts"
import {findButton, Pins, votedIn} from "../fake/shown.ts"
import {messageIn} from "./chat-methods.ts"
import {answerOf, messageOf, pollIn, type Shown, userOf} from "./chats.ts"
import {type Fields, type FormFile, formOf} from "./form.ts"
import {methods} from "./methods.ts"
import {Updates} from "./updates.ts"
import type {Answer, World} from "./world.ts"

export type TelegramFake = Awaited<ReturnType<typeof startTelegram>>

const answered = (answer: Answer): FakeAnswer =>
  "result" in answer ? {status: 200, body: {ok: true, ...answer}} : {status: answer.code, body: answer}

/** Writes an answer; a refusal in the form of the Bot API. */
const write = (response: ServerResponse, {status, body = {}, headers}: FakeAnswer): void => {
  const refused = {ok: false, error_code: status, description: "Refused"}
  const text =
    typeof body === "string" ? body : JSON.stringify(status === 200 ? body : {...refused, ...(body as object)})
  response.writeHead(status, {"content-type": "application/json", ...headers}).end(text)
}

const buttonsOf = ({keyboard}: Shown) =>
  keyboard.flat().flatMap(({text, callback_data: data}) => (data === undefined ? [] : [{label: String(text), data}]))

/**
 * A protocol fake of Telegram, written from the public documentation of the Bot API
 * (https://core.telegram.org/bots/api).
 *
 * It has long polling: an update stays until `getUpdates` asks with a higher offset, and a second poll or a webhook
 * ends the first one with 409. It has webhooks with their secret token, kinds of updates that must be requested,
 * messages, captions and albums with their limits, edits, deletions, reactions, buttons, pins, polls, invitations, files
 * in both directions, and 429 with `retry_after`. It leaves out Telegram's own limits (429 comes only if a test asks for
 * it), markup in texts, rights in groups, and everything that bots of svc do not use. With a `token`, other tokens get
 * 401. `latency` is the delay between the effect of a request
 * and its answer, in milliseconds.
 */
export const startTelegram = async (
  defer: Defer,
  {token, latency = 0}: {readonly token?: string; readonly latency?: number} = {},
) => {
  const requests = new Requests("Telegram", methods)
  const updates = new Updates()
  const counts = {id: 1, open: 0}
  const world: World = {
    updates,
    sent: [],
    files: new Map(),
    said: new Map(),
    pins: new Pins(),
    nextId: () => counts.id++,
  }

  const answer = async (request: IncomingMessage): Promise<FakeAnswer | undefined> => {
    const [, bot = "", name = ""] =
      /^\/bot([^/]+)\/(\w+)$/.exec(new URL(request.url ?? "/", "http://telegram").pathname) ?? []
    const form = await formOf(request)
    const ordered = requests.take(name, form.fields)
    if (ordered !== undefined) return ordered
    if (requests.isLosing && /^send(Message|Photo|Document)$/.test(name)) return undefined
    if (token !== undefined && bot !== token) return answered({code: 401, description: "Unauthorized"})
    return answered((await methods[name]?.(world, form)) ?? {code: 400, description: requests.unknown(name)})
  }
  const download = (path: string, response: ServerResponse) => {
    const [, bot = "", id = ""] = /^\/file\/bot([^/]+)\/documents\/(.+)$/.exec(path) ?? []
    const file = token === undefined || bot === token ? world.files.get(id) : undefined
    if (file === undefined) response.writeHead(404).end()
    else response.end(file.bytes)
  }

  const server = createServer(async (request, response) => {
    counts.open++
    response.on("close", () => counts.open--)
    if (request.url?.startsWith("/file/") === true) return download(request.url, response)
    const found = await answer(request)
    if (found === undefined) return void request.socket.destroy()
    if (latency > 0 && request.url?.endsWith("/getUpdates") !== true) await sleep(latency)
    write(response, found)
  })
  const port = await listen(server, defer)
  /** The update of a person's message; `quote` is the id of the message that it answers. */
  const said = ({quote, ...message}: Said & {readonly quote?: string | undefined}) => {
    const made = messageOf(message, world.nextId())
    const quoted = quote === undefined ? undefined : messageIn(world, String((made.chat as Fields).id), quote)
    if (quote !== undefined && quoted === undefined) throw new Error(`there is no message ${quote} to quote`)
    return {message: quoted === undefined ? made : {...made, reply_to_message: quoted}}
  }
  const add = (...fresh: readonly Fields[]) => {
    for (const {message} of fresh) {
      const fields = message as Fields | undefined
      if (fields !== undefined) world.said.set(String(fields.message_id), fields)
    }
    return updates.add(...fresh)
  }
  /** Adds an update of any kind; returns its id. */
  const push = (update: Fields): number => add(update)[0] ?? 0
  /** In a private chat, the only other person. */
  const personIn = (chat: string): string => (Number(chat) > 0 ? chat : "42")
  return {
    url: `http://127.0.0.1:${port}`,
    say: (...messages: readonly Said[]) => void add(...messages.map(said)),
    said,
    /** A person sends a file; returns the id of the update. */
    sayFile: ({name, type, bytes}: FormFile & {readonly type: string}) => {
      const id = `file-${world.nextId()}`
      world.files.set(id, {name, bytes})
      const document = {file_id: id, file_name: name, mime_type: type, file_size: bytes.length}
      const {text: _, ...message} = messageOf({text: ""}, world.nextId())
      return push({message: {...message, document}})
    },
    /** A person presses the newest button with this label; returns the id of the update. */
    press: (label: string, {message: only, user}: Act = {}) => {
      const shown = world.sent.filter(({id}) => only === undefined || id === only)
      const {message, button} = findButton(label, shown, buttonsOf)
      const from = userOf(user ?? personIn(message.chat))
      return push({callback_query: {id: String(world.nextId()), from, data: button.data, message: answerOf(message)}})
    },
    vote: (id: string, labels: readonly string[], user?: string) => {
      const found = world.sent.find(each => each.id === id)
      const voter = user ?? personIn(found?.chat ?? "")
      const option_ids = votedIn(found?.poll, voter, labels)
      const isAnonymous = found?.poll?.isAnonymous === true
      return push(isAnonymous ? {poll: pollIn(found)} : {poll_answer: {poll_id: id, user: userOf(voter), option_ids}})
    },
    pinned: (chat: string) => world.pins.of(chat),
    repeat: () => updates.repeat(),
    sent: (): readonly Shown[] => world.sent,
    push,
    /** The ids of updates that the bot has not confirmed. */
    waiting: () => updates.waiting,
    /** The fields of the calls of a method, oldest first. */
    calls: (name: string) => requests.received.flatMap(({method, body}) => (method === name ? [body] : [])),
    /** Refuses the next send, or the one after `behind` others. */
    slowDown: (milliseconds: number, behind = 0) => {
      const wait = Math.ceil(milliseconds / 1000)
      const body = {description: `Too Many Requests: retry after ${wait}`, parameters: {retry_after: wait}}
      requests.order(/^send(?!ChatAction)/, {status: 429, body}, {behind})
    },
    cut: () => server.closeAllConnections(),
    open: () => counts.open,
    updates,
    requests,
    arrivals: () => updates.polls,
  }
}
