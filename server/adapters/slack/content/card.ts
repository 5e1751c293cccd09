import {type Element, isElement} from "../../../../shared/sdk/sdk.ts"
import type {Block} from "./blocks.ts"
import {escapeText} from "./inline.ts"

/** Slack's limits, in characters: of an address, of the text that stands for a picture, of a field. */
const longest = {address: 3000, field: 2000} as const

/** Returns the picture of an element, by its address; undefined for any other element. */
export const pictureOf = ({type, attrs: {src, title}}: Element): Block | undefined => {
  const image_url = String(src)
  if (type !== "img" || !/^https?:\/\/\S+$/i.test(image_url) || image_url.length > longest.address) return undefined
  return {
    type: "image",
    image_url,
    alt_text: String(title ?? "…")
      .slice(0, longest.field)
      .toWellFormed(),
  }
}

/** Characters that Slack may read as formatting or an emoji. It has no escape for them. */
const marks = /[*_~`]|^\s*>|:[^\s:]+:/m

/** Returns an inline field for a section, if it is text without marks: only so, the title is bold and nothing else. */
export const fieldOf = ({type, attrs, children}: Element): object | undefined => {
  if (type !== "card-field" || attrs.inline !== true || children.some(isElement)) return undefined
  const [title, value] = [String(attrs.title ?? "").trim(), children.join("").trim()]
  const text = `*${escapeText(title)}*\n${escapeText(value)}`
  const isShown =
    /^.+$/.test(title) && value !== "" && text.length <= longest.field && !marks.test(`${title}\n${value}`)
  return isShown ? {type: "mrkdwn", text, verbatim: true} : undefined
}
