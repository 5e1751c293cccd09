import {hash} from "node:crypto"
import {decodeEntities, tryParseJson} from "svc-runtime"
import {attributeOf, scan} from "./scan.ts"

export interface Entry {
  /** A short hash of the entry's own id, or of its link or title. */
  readonly id: string
  readonly title: string
  readonly link: string | undefined
  /** Milliseconds since 1970; NaN without a date. */
  readonly at: number
  readonly categories: string
}

export interface FeedDocument {
  readonly title: string
  /** In the order of the document. */
  readonly entries: readonly Entry[]
}

/** At most so much of a document is read. */
export const most = {entries: 500, field: 10_000, title: 300} as const

/** Returns text on one line, without characters that turn or hide other text. */
const oneLine = (text: string, longest: number): string => {
  const line = text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const characters = Array.from(line.slice(0, 2 * longest))
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line
}

const fromHtml = (html: string): string => decodeEntities(html.replace(/<\/?[a-z][^<>]*>/gi, ""))

/** What an element of a feed or an entry says. The first one of each name counts. */
type Fields = Map<string, string>

const entryOf = (fields: Fields, base: URL): Entry | undefined => {
  const title = oneLine(fields.get("title") ?? "", most.title)
  const url = URL.parse((fields.get("link") ?? "").trim(), base)
  const isWeb = fields.has("link") && (url?.protocol === "http:" || url?.protocol === "https:")
  const link = isWeb ? url?.href : undefined
  const own = (fields.get("guid") ?? fields.get("id") ?? "").trim() || (link ?? title)
  if (own === "" || (title === "" && link === undefined)) return undefined
  const date = fields.get("published") ?? fields.get("pubDate") ?? fields.get("date") ?? fields.get("updated") ?? ""
  const id = hash("sha256", own, "base64url").slice(0, 12)
  return {id, title: title || (link ?? ""), link, at: Date.parse(date.trim()), categories: fields.get("category") ?? ""}
}

const texts: ReadonlySet<string> = new Set("title link id guid published pubDate date updated category".split(" "))
/** Elements that may have a title and a link which are not those of the feed or of the entry. */
const others: ReadonlySet<string> = new Set("source image textInput textinput content summary description".split(" "))

const add = (fields: Fields, name: string, text: string): void => {
  if (name === "category") fields.set(name, `${fields.get(name) ?? ""} ${text}`.slice(0, most.field))
  else if (!fields.has(name)) fields.set(name, text)
}

/** The parts of an element that are in its attributes, in Atom. */
const addAttributes = (fields: Fields, name: string, attributes: string): void => {
  const href = name === "link" ? attributeOf(attributes, "href") : undefined
  if (href !== undefined && /^(alternate)?$/.test(attributeOf(attributes, "rel") ?? "")) add(fields, name, href)
  const term = name === "category" ? attributeOf(attributes, "term") : undefined
  if (term !== undefined) add(fields, name, term)
}

/** RSS 2.0, RSS 1.0 and Atom. */
const readXml = (xml: string, base: URL): FeedDocument | undefined => {
  const feed: Fields = new Map()
  const entries: Fields[] = []
  let [root, prefix, fields] = ["", "", feed]
  let skipped = ""
  let open: {readonly name: string; readonly isHtml: boolean; text: string} | undefined
  for (const token of scan(xml)) {
    if (token.is === "text") {
      if (open !== undefined && open.text.length < most.field)
        open.text += token.isLiteral ? token.text : decodeEntities(token.text)
      continue
    }
    const bare = prefix !== "" && token.name.startsWith(prefix) ? token.name.slice(prefix.length) : token.name
    const name = bare === "dc:date" ? "date" : bare
    const isEntry = name === "item" || name === "entry"
    if (root === "" && token.is === "open") {
      root = token.name.replace(/^[^:]*:/, "")
      if (!["rss", "RDF", "feed"].includes(root)) return undefined
      if (root === "feed") prefix = token.name.slice(0, -root.length)
    } else if (skipped !== "" && !(isEntry && token.is === "open")) {
      if (token.is === "close" && name === skipped) skipped = ""
    } else if (token.is === "close") {
      if (name === open?.name) {
        if (open.text.trim() !== "") add(fields, name, open.isHtml ? fromHtml(open.text) : open.text)
        open = undefined
      } else if (isEntry) [fields, open] = [feed, undefined]
    } else if (isEntry) {
      if (entries.length === most.entries) break
      ;[fields, open, skipped] = [new Map(), undefined, ""]
      entries.push(fields)
      const about = root === "RDF" ? attributeOf(token.attributes, "rdf:about") : undefined
      if (about !== undefined) add(fields, "id", about)
    } else if (others.has(name)) skipped = token.isEmpty ? "" : name
    else if (open === undefined && texts.has(name)) {
      addAttributes(fields, name, token.attributes)
      const isHtml = name === "title" && (root !== "feed" || attributeOf(token.attributes, "type") === "html")
      if (!token.isEmpty) open = {name, isHtml, text: ""}
    }
  }
  if (root === "") return undefined
  return {title: oneLine(feed.get("title") ?? "", most.title), entries: unique(entries, base)}
}

const unique = (all: readonly Fields[], base: URL): readonly Entry[] => {
  const found = all.flatMap(fields => entryOf(fields, base) ?? [])
  return [...new Map(found.map(entry => [entry.id, entry])).values()]
}

const textIn = (value: unknown, key: string): string => {
  const found = typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : ""
  return typeof found === "string" || typeof found === "number" ? String(found).slice(0, most.field) : ""
}

/** https://www.jsonfeed.org/version/1.1/ */
const readJson = (text: string, base: URL): FeedDocument | undefined => {
  const value = tryParseJson(text)
  const items: unknown = typeof value === "object" && value !== null && "items" in value ? value.items : undefined
  if (!textIn(value, "version").includes("jsonfeed.org") || !Array.isArray(items)) return undefined
  const fieldsOf = (item: unknown): Fields => {
    const tags: unknown = typeof item === "object" && item !== null && "tags" in item ? item.tags : undefined
    const named = {
      id: textIn(item, "id"),
      title: textIn(item, "title") || textIn(item, "content_text"),
      link: textIn(item, "url"),
      published: textIn(item, "date_published"),
      category: Array.isArray(tags)
        ? tags
            .filter(tag => typeof tag === "string")
            .join(" ")
            .slice(0, most.field)
        : "",
    }
    return new Map(Object.entries(named).filter(([, text_]) => text_ !== ""))
  }
  const entries = unique(items.slice(0, most.entries).map(fieldsOf), base)
  return {title: oneLine(textIn(value, "title"), most.title), entries}
}

/** Decodes the bytes by their mark, by the header `Content-Type`, or by the first line of the document. */
const decode = (bytes: Uint8Array, type: string): string => {
  const [first = 0, second = 0] = bytes
  const marked = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : ""
  const prolog = new TextDecoder("latin1").decode(bytes.subarray(0, 200))
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(prolog)?.[1]
  const label = marked || (/charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? declared ?? "utf-8")
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** Reads a feed; undefined if it is none. `base` is the address that relative links belong to. */
export const readDocument = (bytes: Uint8Array, type: string, base: URL): FeedDocument | undefined => {
  const text = decode(bytes, type).trimStart()
  return text.startsWith("{") ? readJson(text, base) : readXml(text, base)
}
