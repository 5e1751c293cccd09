import type {InputFile} from "grammy"
import type {Element, Endpoint, StoredFile} from "../../../../shared/sdk/sdk.ts"
import type {Bot} from "../api/bot.ts"
import {type FileKind, readSrc} from "../incoming/files.ts"

/** A file for the Bot API: uploaded, by a Telegram file id, or by an address that Telegram opens. */
export interface Media {
  readonly kind: FileKind
  readonly file: InputFile | string
}

/** Telegram accepts a larger picture only as a document. In bytes. */
const largestPhoto = 10_000_000

/** The kinds of files that Telegram displays, by media type. Others are documents. */
const kinds: Readonly<Record<string, FileKind>> = {
  "image/jpeg": "photo",
  "image/png": "photo",
  "image/webp": "photo",
  "image/gif": "animation",
  "audio/mpeg": "audio",
  "audio/mp4": "audio",
  "audio/x-m4a": "audio",
  "audio/ogg": "voice",
  "video/mp4": "video",
}

const kindOf = ({type}: Element, file: StoredFile): FileKind => {
  if (type === "file" || !Object.hasOwn(kinds, file.type)) return "document"
  const kind = kinds[file.type] ?? "document"
  return kind === "photo" && file.size > largestPhoto ? "document" : kind
}

/** Telegram opens addresses of these, and documents of only three types. For a `file`, a link always works. */
const byAddress: Readonly<Record<string, FileKind>> = {img: "photo", audio: "audio", video: "video"}

/** Whether Telegram gets this element as a file although it is not stored. */
export const isForeignMedia = ({type, attrs}: Element): boolean => {
  const src = String(attrs.src ?? "")
  return readSrc(src) !== undefined || (Object.hasOwn(byAddress, type) && /^https?:\/\//i.test(src))
}

/** Returns the file of an element; undefined if it has none that Telegram accepts. */
export const mediaOf = async (element: Element, endpoint: Endpoint, bot: Bot): Promise<Media | undefined> => {
  const stored = await endpoint.file(element)
  if (stored !== undefined) return {kind: kindOf(element, stored), file: bot.upload(stored)}
  if (!isForeignMedia(element)) return undefined
  const src = String(element.attrs.src)
  const own = readSrc(src)
  return own === undefined ? {kind: byAddress[element.type] ?? "document", file: src} : {kind: own.kind, file: own.id}
}

/** Kinds that can share an album. */
const albums: readonly (readonly FileKind[])[] = [["photo", "video"], ["document"], ["audio"]]
const mostInAlbum = 10

const albumOf = (kind: FileKind) => albums.find(kinds => kinds.includes(kind))

/** Groups files into messages: neighbours of one kind form albums. */
export const groupMedia = (files: readonly Media[]): readonly (readonly Media[])[] => {
  const groups: Media[][] = []
  for (const media of files) {
    const last = groups.at(-1)
    const album = albumOf(media.kind)
    const isNext = album !== undefined && last?.[0] !== undefined && albumOf(last[0].kind) === album
    if (isNext && last.length < mostInAlbum) last.push(media)
    else groups.push([media])
  }
  return groups
}
