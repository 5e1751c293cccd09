import type {MessageEntity} from "grammy/types"
import {type Element, h, type Node} from "../../../../shared/sdk/sdk.ts"

/** The bot's own user. */
export interface Self {
  readonly id: number
  readonly username: string
}

/** Satori elements for entities that are only formatting. */
const formats: Readonly<Record<string, string>> = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  spoiler: "spl",
  code: "code",
}

/** Returns the element around an entity's text; undefined if it stays text, such as an address or a hashtag. */
const elementOf = (entity: MessageEntity, text: string, inner: readonly Node[], me: Self): Element | undefined => {
  const format = Object.hasOwn(formats, entity.type) ? formats[entity.type] : undefined
  if (format !== undefined) return h(format, {}, ...inner)
  switch (entity.type) {
    case "pre":
      return h("pre", {lang: entity.language}, ...inner)
    case "text_link":
      return h("a", {href: entity.url}, ...inner)
    case "mention":
      return mentionOf(text.slice(1), me)
    case "text_mention":
      return entity.user.id === me.id ? mentionOf(me.username, me) : h("at", {id: String(entity.user.id), name: text})
    default:
      return undefined
  }
}

/** Telegram sends no id with `@name`, so only the bot's own id is known. */
const mentionOf = (name: string, me: Self): Element =>
  name.toLowerCase() === me.username.toLowerCase() ? h("at", {id: String(me.id), name: me.username}) : h("at", {name})

/** The place of an entity in the text. */
interface Span {
  readonly from: number
  readonly to: number
  readonly entity: MessageEntity
}

/**
 * Returns a text with its entities as a tree. Offsets count UTF-16 code units, like strings here. Telegram nests
 * entities without partial overlap. One that extends beyond its parent ends there.
 */
export const toNodes = (text: string, entities: readonly MessageEntity[], me: Self): readonly Node[] => {
  const spans = entities
    .map(entity => ({from: entity.offset, to: entity.offset + entity.length, entity}))
    .filter(({from, to}) => Number.isInteger(from) && from >= 0 && to > from && to <= text.length)
    .sort((one, other) => one.from - other.from || other.to - one.to)
  return build(text, spans, 0, text.length, me)
}

const build = (text: string, spans: readonly Span[], from: number, to: number, me: Self): readonly Node[] => {
  const nodes: Node[] = []
  let at = from
  for (let index = 0; index < spans.length; ) {
    const span = spans[index++]
    if (span === undefined || span.from < at || span.from >= to) continue
    const end = Math.min(span.to, to)
    const inside: Span[] = []
    for (let next = spans[index]; next !== undefined && next.from < end; next = spans[++index]) inside.push(next)
    if (span.from > at) nodes.push(text.slice(at, span.from))
    nodes.push(...nodesOf(text, span, inside, end, me))
    at = end
  }
  if (at < to) nodes.push(text.slice(at, to))
  return nodes
}

const nodesOf = (
  text: string,
  {from, entity}: Span,
  inside: readonly Span[],
  to: number,
  me: Self,
): readonly Node[] => {
  const own = text.slice(from, to)
  // In a group, users call `/help@my_bot`: the command is the part before the `@`.
  if (entity.type === "bot_command") return [withoutName(own, me)]
  const inner = build(text, inside, from, to, me)
  const element = elementOf(entity, own, inner, me)
  return element === undefined ? inner : [element]
}

const withoutName = (command: string, {username}: Self): string => {
  const [name = "", bot] = command.split("@")
  return bot?.toLowerCase() === username.toLowerCase() ? name : command
}
