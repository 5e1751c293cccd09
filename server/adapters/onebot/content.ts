import {
  type Element,
  type Endpoint,
  fileElement,
  h,
  isElement,
  lower,
  type Node,
  textOf,
} from "../../../shared/sdk/sdk.ts"
import type {Segment} from "./cq.ts"

const mediaOf: Readonly<Record<string, string>> = {image: "image/*", record: "audio/*", video: "video/*"}
const segmentOf: Readonly<Record<string, string>> = {img: "image", audio: "record", video: "video", file: "file"}

/** Converts a message of the implementation to Satori elements. */
export const toElements = (segments: readonly Segment[]): readonly Node[] => segments.flatMap(toNodes)

const toNodes = ({type, data}: Segment): readonly Node[] => {
  switch (type) {
    case "text":
      return [data.text ?? ""]
    case "at":
      return [data.qq === "all" ? h("at", {type: "all"}) : h("at", {id: data.qq, name: data.name})]
    case "reply":
      return [h("quote", {id: data.id})]
    case "face":
      return [h("emoji", {id: data.id, name: `face ${data.id ?? ""}`})]
    case "image":
    case "record":
    case "video":
    case "file":
      return [fileOf(type, data)]
    case "share":
      return [h("a", {href: data.url ?? ""}, data.title ?? data.url ?? "")]
    case "location":
      return [`${data.title ?? "location"} (${data.lat}, ${data.lon})`]
    default:
      return [`[${type}]`]
  }
}

/** Only an address can be read. The standard's `file` is a name that only the implementation can resolve. */
const fileOf = (type: string, {url, file, name, file_size: size}: Segment["data"]): Node => {
  const src = [url, file].find(each => each !== undefined && /^https?:/.test(each))
  const title = name ?? (file === src ? undefined : file)
  if (src === undefined) return `[${type}${title === undefined ? "" : `: ${title}`}]`
  const element = fileElement({
    src,
    name: title,
    size: size === undefined || !/^\d+$/.test(size) ? undefined : Number(size),
  })
  const kind = mediaOf[type]?.split("/")[0]
  return {...element, type: kind === "image" ? "img" : (kind ?? "file")}
}

/**
 * Converts the bot's message to segments. Reads a stored file into memory, because it is sent as base64 in one JSON
 * text.
 */
export const toSegments = async (content: readonly Node[], file: Endpoint["file"]): Promise<readonly Segment[]> => {
  const segments: Segment[] = []
  const say = (text: string) => {
    const last = segments.at(-1)
    if (text === "") return
    if (last?.type === "text") segments[segments.length - 1] = textSegment(`${last.data.text}${text}`)
    else segments.push(textSegment(text))
  }
  const add = async (node: Node): Promise<void> => {
    if (!isElement(node)) return say(node)
    const {type, attrs, children} = node
    if (type === "at" && (attrs.type === "all" || attrs.id !== undefined))
      return void segments.push({type: "at", data: {qq: attrs.type === "all" ? "all" : String(attrs.id)}})
    if (type === "quote") {
      // A reply must be the first segment of its message.
      if (attrs.id !== undefined) segments.unshift({type: "reply", data: {id: String(attrs.id)}})
      return
    }
    if (type === "emoji" && /^\d+$/.test(String(attrs.id)))
      return void segments.push({type: "face", data: {id: String(attrs.id)}})
    const kind = segmentOf[type]
    if (kind !== undefined) {
      const data = await mediaOfElement(node, file)
      if (data !== undefined) return void segments.push({type: kind, data})
    }
    if (type === "a" || children.length === 0) return say(textOf(node))
    for (const child of children) await add(child)
  }
  for (const node of lower(content, {has: [], shows: isSent})) await add(node)
  return segments
}

/** Whether this is a file that is stored or has an address. */
const isSent = ({attrs: {src}}: Element): boolean => /^(https?|internal):/.test(String(src))

const textSegment = (text: string): Segment => ({type: "text", data: {text}})

const mediaOfElement = async (
  element: Exclude<Node, string>,
  file: Endpoint["file"],
): Promise<Segment["data"] | undefined> => {
  const stored = await file(element)
  if (stored !== undefined) {
    const bytes = Buffer.from(await new Response(stored.stream()).arrayBuffer())
    return {file: `base64://${bytes.toString("base64")}`, name: stored.name}
  }
  const {src, title} = element.attrs
  if (typeof src !== "string" || !/^https?:/.test(src)) return undefined
  return {file: src, ...(title === undefined ? {} : {name: String(title)})}
}
