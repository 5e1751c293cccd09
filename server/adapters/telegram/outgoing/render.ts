import type {MessageEntity} from "grammy/types"
import {type Element, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {type Button, buttonOf} from "./buttons.ts"

/** A message for the Bot API. The text is never parsed, so text by users cannot become markup. */
export interface Rendered {
  readonly text: string
  readonly entities: MessageEntity[]
  /** The elements of files, in order. */
  readonly files: readonly Element[]
  readonly buttons: readonly Button[]
  /** The id of the quoted message. */
  readonly answers: number | undefined
}

/** Telegram's formatting, by Satori element. */
const formats: Readonly<Record<string, "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code">> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  del: "strikethrough",
  spl: "spoiler",
  code: "code",
}

const blocks: ReadonlySet<string> = new Set(["p", "message", "br"])
const fileTypes: ReadonlySet<string> = new Set(["img", "audio", "video", "file"])

/** Schemes of addresses that Telegram turns into links. */
const linkable = /^(https?|tg):\/\/|^mailto:/i

/**
 * Renders content as text with entities, whose offsets count UTF-16 code units. Elements without a counterpart become
 * their `textOf`. `shows` returns whether Telegram gets this element as a file.
 */
export const render = (content: readonly Node[], shows: (element: Element) => boolean): Rendered => {
  let text = ""
  let answers: number | undefined
  const entities: MessageEntity[] = []
  const files: Element[] = []
  const buttons: Button[] = []

  const cover = (from: number, entity: (place: {offset: number; length: number}) => MessageEntity) => {
    if (text.length > from) entities.push(entity({offset: from, length: text.length - from}))
  }
  const walkAll = (nodes: readonly Node[]) => {
    for (const node of nodes) walk(node)
  }
  const walk = (node: Node): void => {
    if (!isElement(node)) {
      text += node
      return
    }
    const {type, attrs, children} = node
    const from = text.length
    const button = buttonOf(node)
    const format = Object.hasOwn(formats, type) ? formats[type] : undefined
    if (button !== undefined) buttons.push(button)
    else if (type === "quote") answers ??= idOf(attrs.id)
    else if (fileTypes.has(type) && shows(node)) files.push(node)
    else if (type === "at") {
      text += textOf(node)
      const id = idOf(attrs.id)
      if (id !== undefined) cover(from, place => mention(place, id))
    } else if (type === "a" && linkable.test(String(attrs.href))) {
      if (children.length === 0) text += String(attrs.href)
      walkAll(children)
      cover(from, place => ({type: "text_link", url: String(attrs.href), ...place}))
    } else if (format !== undefined) {
      walkAll(children)
      cover(from, place => ({type: format, ...place}))
    } else if (type === "pre") {
      walkAll(children)
      const language = typeof attrs.lang === "string" && attrs.lang !== "" ? {language: attrs.lang} : {}
      cover(from, place => ({type: "pre", ...language, ...place}))
    } else if (type === "a" || (children.length === 0 && !blocks.has(type))) text += textOf(node)
    else walkAll(children)
    if (blocks.has(type)) text += "\n"
  }

  walkAll(content)
  const said = text.replace(/\n$/, "")
  return {text: said, entities: within(entities, said.length), files, buttons, answers}
}

/** Cuts entities at the end of the text. */
const within = (entities: readonly MessageEntity[], end: number): MessageEntity[] =>
  entities
    .map(entity => ({...entity, length: Math.min(entity.length, end - entity.offset)}))
    .filter(({length}) => length > 0)

/** Ids of users and messages are numbers. */
const idOf = (id: unknown): number | undefined => (/^\d{1,15}$/.test(String(id)) ? Number(id) : undefined)

/** Mentions a user without a username by id. Telegram reads only the id of this user. */
const mention = (place: {offset: number; length: number}, id: number): MessageEntity => ({
  type: "text_mention",
  user: {id, is_bot: false, first_name: ""},
  ...place,
})
