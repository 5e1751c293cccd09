import type {Message} from "grammy/types"
import {type Element, fileElement} from "../../../../shared/sdk/sdk.ts"

/** Telegram's kinds of files. The `src` contains the kind, so that a file is sent again as the same kind. */
export type FileKind = "photo" | "animation" | "video" | "video_note" | "audio" | "voice" | "document" | "sticker"

const srcOf = (kind: FileKind, id: string): string => `telegram:${kind}/${id}`

/** Returns the kind and the file id in a `src` that `fileOf` made; undefined for others. */
export const readSrc = (src: string | undefined): {readonly kind: FileKind; readonly id: string} | undefined => {
  const [, kind, id] =
    /^telegram:(photo|animation|video|video_note|audio|voice|document|sticker)\/([\w-]+)$/.exec(src ?? "") ?? []
  return kind === undefined || id === undefined ? undefined : {kind: kind as FileKind, id}
}

interface TelegramFile {
  readonly file_id: string
  readonly file_size?: number | undefined
  readonly file_name?: string | undefined
  readonly mime_type?: string | undefined
}

const element = (kind: FileKind, file: TelegramFile, usual: {readonly type?: string; readonly name: string}): Element =>
  fileElement({
    src: srcOf(kind, file.file_id),
    name: file.file_name ?? usual.name,
    type: file.mime_type ?? usual.type,
    size: file.file_size,
  })

/** Returns the file of a message, which has at most one. An animation is also in `document`. */
export const fileOf = (message: Message): Element | undefined => {
  const {photo, animation, video, video_note, audio, voice, document, sticker} = message
  const largest = photo?.at(-1)
  if (largest !== undefined) return element("photo", largest, {type: "image/jpeg", name: "photo.jpg"})
  if (animation !== undefined) return element("animation", animation, {type: "video/mp4", name: "animation.mp4"})
  if (video !== undefined) return element("video", video, {type: "video/mp4", name: "video.mp4"})
  if (video_note !== undefined) return element("video_note", video_note, {type: "video/mp4", name: "video.mp4"})
  if (audio !== undefined) return element("audio", audio, {type: "audio/mpeg", name: "audio.mp3"})
  if (voice !== undefined) return element("voice", voice, {type: "audio/ogg", name: "voice.ogg"})
  if (sticker !== undefined) return element("sticker", sticker, stickerFormat(sticker))
  return document === undefined ? undefined : element("document", document, {name: "file"})
}

const stickerFormat = ({is_animated, is_video}: {readonly is_animated: boolean; readonly is_video: boolean}) => {
  if (is_video) return {type: "video/webm", name: "sticker.webm"}
  return is_animated
    ? {type: "application/x-tgsticker", name: "sticker.tgs"}
    : {type: "image/webp", name: "sticker.webp"}
}
