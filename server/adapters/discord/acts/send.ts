import {createHash} from "node:crypto"
import {
  type Element,
  type Endpoint,
  isElement,
  type Node,
  refused,
  type Sender,
  type StoredFile,
} from "../../../../shared/sdk/sdk.ts"
import {type Api, type Ask, requireId} from "../api/api.ts"
import {idIn, payloadOf} from "../api/payload.ts"
import {componentsOf} from "../content/components.ts"
import {type Embed, embedsOf, groupEmbeds, type ImageOf, splitCards} from "../content/embeds.ts"
import {writeParts} from "../content/parts.ts"
import type {Written} from "../content/write.ts"
import type {SentForms} from "../interactions/forms.ts"

/** The most files that Discord accepts in one message. */
const mostFiles = 10

export interface Sending {
  readonly api: Api
  readonly endpoint: Pick<Endpoint, "file" | "log">
  readonly forms: SentForms
}

/** One message for Discord. */
interface Message {
  readonly written: Written
  readonly embeds: readonly Embed[]
  readonly files: readonly Upload[]
  readonly components: readonly unknown[]
}

export const createSend = ({api, endpoint, forms}: Sending): Required<Pick<Sender, "send" | "edit">> => {
  /** Returns the messages of some content: the text, then the cards; buttons and files are in the last one. */
  const prepare = async (content: readonly Node[], hasEmbeds = true): Promise<readonly Message[]> => {
    const {components, forms: shown, isWhole} = componentsOf(content)
    if (!isWhole) endpoint.log.warn("a message has more buttons than Discord can show; dropped the rest")
    forms.add(shown)
    const {rest, cards} = hasEmbeds ? splitCards(content) : {rest: content, cards: []}
    const uploads = await uploadsIn(content, cards, endpoint)
    const isShown = (element: Element) => uploads.has(element)
    const groups = groupEmbeds(cards.flatMap(card => embedsOf(card, imageIn(uploads), isShown)))
    const texts = writeParts(rest, isShown).map(({written}) => written)
    const last = texts.length + Math.max(0, groups.length - 1) - 1
    const left = new Set(uploads.values())
    return Array.from({length: last + 1}, (_, number) => {
      const embeds = groups[number - texts.length + 1] ?? []
      const urls = new Set(embeds.map(({image}) => image?.url))
      const files = [...left].filter(upload => number === last || urls.has(attached(upload)))
      for (const file of files) left.delete(file)
      const written = texts[number] ?? nothing
      return {written, embeds, files, components: number === last ? components : []}
    })
  }
  return {
    send: async ({id, channel, content}, signal) => {
      const path = `/channels/${requireId(channel, "channel")}/messages` as const
      const ids: string[] = []
      for (const [number, message] of (await prepare(content)).entries()) {
        requireSomething(message)
        const {reference} = message.written
        const body = {
          ...bodyOf(message),
          nonce: nonceOf(id, number),
          enforce_nonce: true,
          ...(reference === undefined ? {} : {message_reference: {message_id: reference, fail_if_not_exists: false}}),
        }
        const made = payloadOf(await api.ask("POST", path, {body, ...(await readFiles(message))}, signal))
        const sent = idIn(made)
        if (sent !== undefined) ids.push(sent)
      }
      return {ids}
    },
    edit: async ({channel, message, content}, signal) => {
      const messages = await prepare(content)
      const [first, more] = messages.length === 1 ? messages : await prepare(content, false)
      if (first === undefined || more !== undefined) {
        throw refused("with its markup, the text is too long for one Discord message", {
          reason: "text_too_long",
          remediation: "Shorten the text. Some characters need a backslash on Discord, and the backslash counts too.",
        })
      }
      const path = `/channels/${requireId(channel, "channel")}/messages/${requireId(message, "message")}` as const
      const {embeds, components} = first
      await api.ask("PATCH", path, {body: {...bodyOf(first), embeds, components}, ...(await readFiles(first))}, signal)
    },
  }
}

const nothing: Written = {text: "", mentions: {parse: [], users: [], roles: [], replied_user: true}}

const requireSomething = ({written: {text}, embeds, files, components}: Message): void => {
  if (text !== "" || embeds.length > 0 || files.length > 0 || components.length > 0) return
  throw refused("Discord accepts no empty messages", {reason: "empty", remediation: "Add text to the message."})
}

const bodyOf = ({written: {text, mentions}, embeds, files, components}: Message) => ({
  content: text,
  allowed_mentions: mentions,
  attachments: files.map(({name}, id) => ({id, filename: name})),
  ...(embeds.length === 0 ? {} : {embeds}),
  ...(components.length === 0 ? {} : {components}),
})

/**
 * Returns at most 25 characters, the same for every attempt. For some minutes, Discord creates no second message with
 * the same nonce.
 */
const nonceOf = (id: string, part: number): string =>
  createHash("sha256").update(`${id}/${part}`).digest("base64url").slice(0, 24)

const filesIn = async (
  content: readonly Node[],
  endpoint: Pick<Endpoint, "file">,
): Promise<Map<Element, StoredFile>> => {
  const found = new Map<Element, StoredFile>()
  for (const node of content.filter(isElement)) {
    const file = await endpoint.file(node)
    if (file !== undefined) found.set(node, file)
    for (const [element, inner] of await filesIn(node.children, endpoint)) found.set(element, inner)
  }
  if (found.size > mostFiles) {
    throw refused(`Discord accepts at most ${mostFiles} files in a message, not ${found.size}`, {
      reason: "too_many_files",
      remediation: "Send the files in several messages.",
    })
  }
  return found
}

/** A file as it is uploaded. */
interface Upload {
  readonly file: StoredFile
  readonly name: string
}

/** The kinds of pictures that an embed shows, and their endings. */
const pictures: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
}

/** Pictures in cards get simple names, by which an embed refers to them. */
const uploadsIn = async (
  content: readonly Node[],
  cards: readonly Element[],
  endpoint: Pick<Endpoint, "file">,
): Promise<ReadonlyMap<Element, Upload>> => {
  const isInCard = new Set((await filesIn(cards, endpoint)).keys())
  const uploads = [...(await filesIn(content, endpoint))].map(([element, file], n) => {
    const ending = isInCard.has(element) && Object.hasOwn(pictures, file.type) ? pictures[file.type] : undefined
    return [element, {file, name: ending === undefined ? file.name : `picture-${n}.${ending}`}] as const
  })
  return new Map(uploads)
}

const imageIn =
  (uploads: ReadonlyMap<Element, Upload>): ImageOf =>
  element => {
    const upload = uploads.get(element)
    if (element.type !== "img") return undefined
    if (upload !== undefined) return Object.hasOwn(pictures, upload.file.type) ? attached(upload) : undefined
    const src = String(element.attrs.src ?? "")
    return /^https?:\/\/[^\s<>]+$/i.test(src) ? src : undefined
  }

const attached = ({name}: Upload): string => `attachment://${name}`

const readFiles = async ({files}: Message): Promise<Pick<Ask, "files">> => ({
  files: await Promise.all(
    files.map(async ({file, name}) => ({
      name,
      contentType: file.type,
      data: new Uint8Array(await new Response(file.stream()).arrayBuffer()),
    })),
  ),
})
