import type {MessageEntity} from "grammy/types"
import {type Element, isElement, lower, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
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
const formats = {
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
  blockquote: "blockquote",
} as const

const hasFormat = (type: string): type is keyof typeof formats => Object.hasOwn(formats, type)

/** The blocks of Telegram's entities. */
const has = ["pre", "blockquote"] as const

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
  /** The types of the elements around the text. */
  const open: string[] = []

  /** Formats what `write` adds to the text. Telegram accepts no formatting inside code. */
  const cover = (entity: (place: {offset: number; length: number}) => MessageEntity, write: () => void) => {
    const from = text.length
    write()
    const isInCode = open.includes("pre") || open.includes("code")
    if (text.length > from && !isInCode) entities.push(entity({offset: from, length: text.length - from}))
  }
  const walkAll = (nodes: readonly Node[]) => {
    for (const node of nodes) walk(node)
  }
  const walkIn =
    ({type, children}: Element) =>
    () => {
      open.push(type)
      walkAll(children)
      open.pop()
    }
  const isBeside = (element: Element) => buttonOf(element) !== undefined || shows(element)
  const walk = (node: Node): void => {
    if (!isElement(node)) {
      text += node
      return
    }
    const {type, attrs, children} = node
    const button = buttonOf(node)
    if (button !== undefined) buttons.push(button)
    else if (type === "quote") answers ??= idOf(attrs.id)
    else if (fileTypes.has(type)) files.push(node)
    else if (type === "at") {
      const id = idOf(attrs.id)
      const name = () => {
        text += textOf(node)
      }
      if (id === undefined) name()
      else cover(place => mention(place, id), name)
    } else if (type === "a" && linkable.test(String(attrs.href))) {
      const url = String(attrs.href)
      const shown = children.length === 0 ? {...node, children: [url]} : node
      cover(place => ({type: "text_link", url, ...place}), walkIn(shown))
    } else if (type === "blockquote" && open.includes(type)) walkAll(lower(node, {has: ["pre"], shows: isBeside}))
    else if (hasFormat(type)) cover(place => ({type: formats[type], ...place}), walkIn(node))
    else if (type === "pre") {
      const language = typeof attrs.lang === "string" && attrs.lang !== "" ? {language: attrs.lang} : {}
      cover(place => ({type: "pre", ...language, ...place}), walkIn(node))
    } else if (type === "a" || children.length === 0) text += textOf(node)
    else walkAll(children)
  }

  walkAll(lower(content, {has, shows: isBeside}))
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
