import type {Fields} from "../satori/fields.ts"
import type {ElementBuilder, KoishiElement} from "./koishi.ts"

/** File elements, by their names in Koishi. */
const fileTypes: ReadonlyMap<string, string> = new Map([
  ["img", "img"],
  ["image", "img"],
  ["audio", "audio"],
  ["record", "audio"],
  ["video", "video"],
  ["file", "file"],
])

/** Converts Koishi's content to Satori v1: files have `src` and `title`. */
export const elementsIn = (content: string, h: ElementBuilder): string =>
  content.includes("<")
    ? h
        .parse(content)
        .map(element => inSatori(element, h))
        .join("")
    : content

const inSatori = (element: KoishiElement, h: ElementBuilder): KoishiElement => {
  const children = element.children.map(child => inSatori(child, h))
  const type = fileTypes.get(element.type)
  return type === undefined ? h(element.type, element.attrs, ...children) : h(type, fileOf(element.attrs), ...children)
}

const fileOf = ({src, url, title, filename, file, ...rest}: Fields): Fields => {
  const name = title ?? filename ?? file
  const address = src ?? url
  return {...rest, ...(address === undefined ? {} : {src: address}), ...(name === undefined ? {} : {title: name})}
}
