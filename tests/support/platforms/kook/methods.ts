import {randomUUID} from "node:crypto"

export const token = "1/MTA=/right=="
export const bot = {id: "3000", username: "bot", identify_num: "0001", bot: true}
export const ann = {id: "42", username: "ann", identify_num: "0002", bot: false, nickname: "Ann"}
export const guild = {id: "500", name: "guild"}
export const channel = "600"

export interface StoredFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A message of the bot in its current form. */
interface Message {
  readonly type: number
  readonly at: number
  content: string
  readonly reactions: Set<string>
}

export interface World {
  readonly messages: Map<string, Message>
  /** By their addresses. */
  readonly files: Map<string, StoredFile>
}

/** A refusal with a code other than 0 and the status 200. */
export class KookError extends Error {}

type Method = (args: Readonly<Record<string, unknown>>, world: World) => unknown

const change =
  (act: (message: Message, value: string) => unknown): Method =>
  ({msg_id, content, emoji}, {messages}) => {
    const message = messages.get(String(msg_id))
    if (message === undefined) throw new KookError("no such message")
    act(message, String(content ?? emoji))
    return []
  }

/** The methods of the REST API that the package calls, by their paths. Each returns `data` of the answer. */
export const methods: Readonly<Record<string, Method>> = {
  "user/me": () => bot,
  "guild/list": () => ({items: [guild]}),
  "guild/user-list": () => ({items: [ann, bot]}),
  "guild-role/grant": ({user_id, role_id}) => ({user_id, guild_id: guild.id, roles: [role_id]}),
  "guild-role/revoke": ({user_id}) => ({user_id, guild_id: guild.id, roles: []}),
  "channel/list": () => ({items: [{id: channel, name: "room", type: 1, is_category: false}]}),
  "user-chat/create": ({target_id}) => ({code: `direct-${target_id}`.padEnd(32, "0")}),
  "message/create": ({target_id, type, content}, {messages}) => {
    if (target_id !== channel || (type !== 9 && type !== 10) || content === "") throw new KookError("not accepted")
    const [msg_id, at] = [randomUUID(), Date.now()]
    messages.set(msg_id, {type, at, content: String(content), reactions: new Set()})
    return {msg_id, msg_timestamp: at, nonce: ""}
  },
  "message/update": change((message, content) => {
    message.content = content
  }),
  "message/delete": ({msg_id}, {messages}) => {
    if (!messages.delete(String(msg_id))) throw new KookError("no such message")
    return []
  },
  "message/add-reaction": change(({reactions}, emoji) => reactions.add(emoji)),
  "message/delete-reaction": change(({reactions}, emoji) => reactions.delete(emoji)),
}

interface Module {
  readonly src?: string
  readonly title?: string
  readonly value?: string
  readonly text?: {readonly content: string}
  readonly elements?: readonly Module[]
}

/** What a message shows: KMarkdown, or a card with sections, files and buttons. */
export const shownIn = ({type, content}: Message, {files}: World) => {
  const cards: readonly {readonly modules: readonly Module[]}[] =
    type === 10 ? JSON.parse(content) : [{modules: [{text: {content}}]}]
  const modules = cards.flatMap(card => card.modules)
  return {
    // A backslash escapes signs.
    text: modules.map(({text}) => text?.content.replace(/\\(.)/g, "$1") ?? "").join(""),
    files: modules.flatMap(({src = "", title = ""}) => {
      const bytes = files.get(src)?.bytes
      return bytes === undefined ? [] : [{name: title, bytes}]
    }),
    buttons: modules.flatMap(({elements = []}) => elements.flatMap(({value}) => value ?? [])),
  }
}
