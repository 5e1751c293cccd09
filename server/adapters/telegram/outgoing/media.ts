import type {InputFile} from "grammy"
import type {Element, Endpoint, StoredFile} from "../../../../shared/sdk/sdk.ts"
import type {Bot} from "../bot.ts"
import {type FileKind, readSrc} from "../incoming/files.ts"

/** A file as the Bot API takes it: sent along, by an id of Telegram, or by an address that Telegram opens. */
export interface Media {
  readonly kind: FileKind
  readonly file: InputFile | string
}

/** Telegram takes a larger picture as a document only, in bytes. */
const largestPhoto = 10_000_000

/** What Telegram shows, by media types; everything else is a document. */
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

/** By an address Telegram takes these, and documents of three kinds only: a link is what always works for a `file`. */
const byAddress: Readonly<Record<string, FileKind>> = {img: "photo", audio: "audio", video: "video"}

/** Does Telegram get this element as a file, where it shows no stored one? */
export const isForeignMedia = ({type, attrs}: Element): boolean => {
  const src = String(attrs.src ?? "")
  return readSrc(src) !== undefined || (Object.hasOwn(byAddress, type) && /^https?:\/\//i.test(src))
}

/** The file that an element shows; undefined where it shows none that Telegram could take. */
export const mediaOf = async (element: Element, endpoint: Endpoint, bot: Bot): Promise<Media | undefined> => {
  const stored = await endpoint.file(element)
  if (stored !== undefined) return {kind: kindOf(element, stored), file: bot.upload(stored)}
  if (!isForeignMedia(element)) return undefined
  const src = String(element.attrs.src)
  const own = readSrc(src)
  return own === undefined ? {kind: byAddress[element.type] ?? "document", file: src} : {kind: own.kind, file: own.id}
}

/** Kinds that stand in one album. */
const albums: readonly (readonly FileKind[])[] = [["photo", "video"], ["document"], ["audio"]]
const mostInAlbum = 10

const albumOf = (kind: FileKind) => albums.find(kinds => kinds.includes(kind))

/** Files in the messages that show them: neighbours of one kind in albums. */
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
