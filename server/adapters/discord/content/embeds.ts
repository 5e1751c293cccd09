import {type Element, h, isElement, type Node} from "../../../../shared/sdk/sdk.ts"
import {escapeText} from "./escape.ts"
import {writeParts} from "./parts.ts"
import {writeMarkdown} from "./write.ts"

/** Discord's limits of an embed, and of all embeds of a message, in characters (Message Resource, "Embed Limits"). */
const limits = {title: 256, description: 4096, fields: 25, name: 256, value: 1024, whole: 6000, embeds: 10} as const

interface EmbedField {
  readonly name: string
  readonly value: string
  readonly inline: boolean
}

/** A frame with text below a message (Message Resource, "Embed Object"). */
export interface Embed {
  readonly title?: string
  readonly url?: string
  readonly description?: string
  readonly color?: number
  readonly fields?: readonly EmbedField[]
  readonly image?: {readonly url: string}
}

/** Separates the cards from the rest of the content. */
export const splitCards = (nodes: readonly Node[]): {readonly rest: readonly Node[]; readonly cards: Element[]} => {
  const cards: Element[] = []
  const without = (nodes: readonly Node[]): readonly Node[] =>
    nodes.flatMap((node): readonly Node[] => {
      if (!isElement(node)) return [node]
      if (node.type !== "card") return [node.children.length === 0 ? node : {...node, children: without(node.children)}]
      cards.push(node)
      return []
    })
  return {rest: without(nodes), cards}
}

/** Returns the address with which an embed shows a picture; undefined if it cannot. */
export type ImageOf = (element: Element) => string | undefined

/** Returns the picture that a card's embed shows: its first one with an address. */
const pictureOf = (card: Element, imageOf: ImageOf): Element | undefined =>
  card.children.filter(isElement).find(child => imageOf(child) !== undefined)

/**
 * Returns the embeds of a card: one, or several if it is longer than Discord's limits. A title or a field that is too
 * long becomes part of the description. `isShown`: as in `writeMarkdown`.
 */
export const embedsOf = (card: Element, imageOf: ImageOf, isShown: (file: Element) => boolean): readonly Embed[] => {
  const {title = "", href, colour} = card.attrs
  const name = escapeText(String(title))
  const picture = pictureOf(card, imageOf)
  const url = /^https?:\/\/[^\s<>]+$/i.test(String(href)) ? String(href) : undefined
  const isTitle = name !== "" && name.length <= limits.title
  const fields: EmbedField[] = []
  const body = card.children.flatMap((child): readonly Node[] => {
    if (child === picture) return []
    if (!isElement(child) || child.type !== "card-field") return [child]
    const field = fieldOf(child, isShown)
    if (field === undefined) return [h("p", h("b", String(child.attrs.title ?? ""))), h("p", {}, ...child.children)]
    fields.push(field)
    return []
  })
  const words = title === "" ? [] : [String(title)]
  const link = url === undefined ? words : [h("a", {href: url}, ...words)]
  const head = isTitle ? [] : [h("p", h("b", {}, ...link))]
  const texts = writeParts([...head, ...body], isShown, limits.description).map(({written}) => written.text)
  const pieces: readonly Embed[] = [
    ...(isTitle ? [{title: name, ...(url === undefined ? {} : {url})}] : []),
    ...texts.filter(text => text !== "").map(description => ({description})),
    ...fields.map(field => ({fields: [field]})),
    ...(picture === undefined ? [] : [{image: {url: imageOf(picture) ?? ""}}]),
  ]
  const color = /^#[0-9a-f]{6}$/i.test(String(colour)) ? {color: Number.parseInt(String(colour).slice(1), 16)} : {}
  return joined(pieces).map(embed => ({...embed, ...color}))
}

/** Discord accepts no empty name or value. */
const invisible = "\u200B"

/** Returns undefined for a field that is too long. */
const fieldOf = ({attrs, children}: Element, isShown: (file: Element) => boolean): EmbedField | undefined => {
  const name = escapeText(String(attrs.title ?? "")).trim() || invisible
  const value = writeMarkdown(children, isShown).text || invisible
  const fits = name.length <= limits.name && value.length <= limits.value
  return fits ? {name, value, inline: attrs.inline === true} : undefined
}

const sizeOf = ({title = "", description = "", fields = []}: Embed): number =>
  title.length + description.length + fields.reduce((sum, {name, value}) => sum + name.length + value.length, 0)

/** Joins the pieces of an embed, and begins another one where the next piece does not fit. */
const joined = (pieces: readonly Embed[]): readonly Embed[] => {
  const embeds: Embed[] = []
  for (const piece of pieces) {
    const last = embeds.at(-1)
    const fields = [...(last?.fields ?? []), ...(piece.fields ?? [])]
    const isNew =
      last === undefined ||
      (last.description !== undefined && piece.description !== undefined) ||
      fields.length > limits.fields ||
      sizeOf(last) + sizeOf(piece) > limits.whole
    if (isNew) embeds.push(piece)
    else embeds[embeds.length - 1] = {...last, ...piece, ...(fields.length === 0 ? {} : {fields})}
  }
  return embeds
}

/** Groups embeds into messages. */
export const groupEmbeds = (embeds: readonly Embed[]): readonly (readonly Embed[])[] => {
  const groups: Embed[][] = []
  let size = 0
  for (const embed of embeds) {
    const last = groups.at(-1)
    size += sizeOf(embed)
    if (last !== undefined && last.length < limits.embeds && size <= limits.whole) last.push(embed)
    else {
      groups.push([embed])
      size = sizeOf(embed)
    }
  }
  return groups
}
