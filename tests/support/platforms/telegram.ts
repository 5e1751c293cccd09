import {createServer, type IncomingMessage} from "node:http"
import {text} from "node:stream/consumers"
import {createTroubles, type FakePlatform, listen, type Said, type Sent} from "./platform.ts"

type Fields = Readonly<Record<string, unknown>>
type Update = {readonly update_id: number; readonly message: Fields}

/** What a method answers: a result, or an error of the Bot API. */
type Answer = {readonly result: unknown} | {readonly code: number; readonly description: string; readonly wait?: number}

const me = {id: 999, is_bot: true, first_name: "Bot", username: "test_bot"}
/** The longest text of one message, in characters. */
const longest = 4096

const fieldsOf = async (request: IncomingMessage): Promise<Fields> => {
  const body = await text(request)
  const type = request.headers["content-type"] ?? ""
  const query = Object.fromEntries(new URL(request.url ?? "/", "http://telegram").searchParams)
  if (type.includes("json")) return {...query, ...JSON.parse(body || "{}")}
  if (!type.includes("multipart")) return {...query, ...Object.fromEntries(new URLSearchParams(body))}
  const parts = body.matchAll(/name="([^"]+)"\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/g)
  return {...query, ...Object.fromEntries([...parts].map(([, name, value]) => [name, value]))}
}

const chatOf = (id: unknown) => ({id: Number(id), type: "private", first_name: `Chat ${id}`})

const messageOf = ({text, user = "42", chat = user}: Said, id: number): Fields => ({
  message_id: id,
  date: Math.floor(Date.now() / 1000),
  chat: chatOf(chat),
  from: {id: Number(user), is_bot: false, first_name: `User ${user}`, username: `user${user}`},
  text,
  ...(text.startsWith("/") ? {entities: [{type: "bot_command", offset: 0, length: text.split(" ")[0]?.length}]} : {}),
})

const bodyOf = (answer: Answer) =>
  "result" in answer
    ? {ok: true, ...answer}
    : {
        ok: false,
        error_code: answer.code,
        description: answer.description,
        ...(answer.wait === undefined ? {} : {parameters: {retry_after: answer.wait}}),
      }

/**
 * A stand-in for Telegram, a fake of the tests, written from the public documentation of the Bot API (https://core.telegram.org/bots/api).
 *
 * It has what long polling needs: an update stays until `getUpdates` asks with a higher offset, a second poll ends the first
 * with 409, a text has 4,096 characters at most, and 429 has `retry_after`. It leaves out webhooks, files, groups, markup and
 * Telegram's own limits: 429 comes only when a test asks for it.
 */
export const startTelegram = async (): Promise<FakePlatform> => {
  let updates: Update[] = []
  let again: Update[] = []
  const sent: Sent[] = []
  const counts = {next: 1, polls: 0}
  const troubles = createTroubles()
  let endPoll: ((answer: "updates" | "conflict" | "time") => void) | undefined

  const poll = async ({offset = 0, timeout = 0}: Fields): Promise<Answer> => {
    counts.polls++
    endPoll?.("conflict")
    updates = updates.filter(({update_id}) => update_id >= Number(offset))
    if (updates.length + again.length === 0 && Number(timeout) > 0) {
      const ended = await new Promise<"updates" | "conflict" | "time">(resolve => {
        const timer = setTimeout(resolve, Math.min(Number(timeout), 2) * 1000, "time")
        endPoll = how => {
          clearTimeout(timer)
          resolve(how)
        }
      })
      if (ended !== "conflict") endPoll = undefined
      else return {code: 409, description: "Conflict: terminated by other getUpdates request"}
    }
    const result = [...again, ...updates].slice(0, 100)
    again = []
    return {result}
  }
  const send = ({chat_id, text: said = ""}: Fields): Answer => {
    const content = String(said)
    if (content === "") return {code: 400, description: "Bad Request: message text is empty"}
    if (content.length > longest) return {code: 400, description: "Bad Request: message is too long"}
    if (troubles.refuses()) return {code: 429, description: "Too Many Requests: retry after 1", wait: 1}
    const id = counts.next++
    sent.push({id: String(id), chat: String(chat_id), text: content, edits: 0})
    return {result: {message_id: id, date: 1, chat: chatOf(chat_id), from: me, text: content}}
  }
  const edit = ({chat_id, message_id, text: said}: Fields): Answer => {
    const place = sent.findIndex(({id, chat}) => id === String(message_id) && chat === String(chat_id))
    const found = sent[place]
    if (found === undefined) return {code: 400, description: "Bad Request: message to edit not found"}
    sent[place] = {...found, text: String(said), edits: found.edits + 1}
    return {result: {message_id: Number(message_id), date: 1, chat: chatOf(chat_id), from: me, text: said}}
  }
  const methods: Readonly<Record<string, (fields: Fields) => Answer | Promise<Answer>>> = {
    getMe: () => ({result: me}),
    getWebhookInfo: () => ({result: {url: "", pending_update_count: updates.length}}),
    getUpdates: poll,
    sendMessage: send,
    editMessageText: edit,
    getUserProfilePhotos: () => ({result: {total_count: 0, photos: []}}),
    deleteWebhook: () => ({result: true}),
    answerCallbackQuery: () => ({result: true}),
    sendChatAction: () => ({result: true}),
    setMyCommands: () => ({result: true}),
  }

  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? "/", "http://telegram").pathname.split("/").at(-1) ?? ""
    const fields = await fieldsOf(request)
    if (name === "sendMessage" && troubles.loses()) {
      request.socket.destroy()
      return
    }
    const answer = (await methods[name]?.(fields)) ?? {code: 404, description: "Not Found: method not found"}
    response.writeHead("code" in answer ? answer.code : 200, {"content-type": "application/json"})
    response.end(JSON.stringify(bodyOf(answer)))
  })
  const port = await listen(server)
  const said: Update[] = []
  return {
    url: `http://127.0.0.1:${port}`,
    say: (...messages) => {
      const fresh = messages.map(each => {
        const id = counts.next++
        return {update_id: id, message: messageOf(each, id)}
      })
      said.push(...fresh)
      updates.push(...fresh)
      endPoll?.("updates")
    },
    repeat: () => {
      again = said.slice(-1)
      endPoll?.("updates")
    },
    sent: () => sent,
    ...troubles.controls,
    arrivals: () => counts.polls,
  }
}
