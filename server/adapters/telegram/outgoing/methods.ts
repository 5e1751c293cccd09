import type {Api, InputFile} from "grammy"
import type {InlineKeyboardMarkup, MessageEntity, ReplyParameters} from "grammy/types"
import {refused} from "../../../../shared/sdk/sdk.ts"
import type {ApiSignal} from "../api/bot.ts"
import type {Place} from "../api/place.ts"
import type {FileKind} from "../incoming/files.ts"
import type {Media} from "./media.ts"

/** The text under a file. */
export interface Caption {
  caption?: string
  caption_entities?: MessageEntity[]
}

/** The target of a message, the quoted message, and the buttons. */
export interface Around extends Place {
  readonly reply_parameters?: ReplyParameters
  readonly reply_markup?: InlineKeyboardMarkup
}

type Methods = Api["raw"]
type SendFile = (
  api: Methods,
  file: InputFile | string,
  more: Around & Caption,
  signal: ApiSignal,
) => Promise<{readonly message_id: number}>

const sendFile: Readonly<Record<FileKind, SendFile>> = {
  photo: (api, photo, more, signal) => api.sendPhoto({photo, ...more}, signal),
  animation: (api, animation, more, signal) => api.sendAnimation({animation, ...more}, signal),
  video: (api, video, more, signal) => api.sendVideo({video, ...more}, signal),
  video_note: (api, video_note, more, signal) => api.sendVideoNote({video_note, ...more}, signal),
  audio: (api, audio, more, signal) => api.sendAudio({audio, ...more}, signal),
  voice: (api, voice, more, signal) => api.sendVoice({voice, ...more}, signal),
  document: (api, document, more, signal) =>
    api.sendDocument({document, disable_content_type_detection: true, ...more}, signal),
  sticker: (api, sticker, more, signal) => api.sendSticker({sticker, ...more}, signal),
}

type Album = Parameters<Methods["sendMediaGroup"]>[0]["media"]

/** Sends one file, or several as an album with the caption on the first. Resolves to the ids. */
export const sendMedia = async (
  api: Methods,
  files: readonly Media[],
  {caption, ...around}: Around & {readonly caption: Caption},
  signal: ApiSignal,
): Promise<readonly string[]> => {
  const [first, ...more] = files
  if (first === undefined) return []
  if (more.length === 0) {
    const {message_id} = await sendFile[first.kind](api, first.file, {...around, ...caption}, signal)
    return [String(message_id)]
  }
  // `groupMedia` combines only kinds that can share an album.
  const media = files.map(({kind, file}, index) => ({
    type: kind,
    media: file,
    ...(index === 0 ? caption : {}),
  })) as Album
  const sent = await api.sendMediaGroup({media, ...around}, signal)
  return sent.map(({message_id}) => String(message_id))
}

type Shown = Parameters<Methods["editMessageMedia"]>[0]["media"]

/**
 * Returns the file that replaces a message's file. Throws a refusal for kinds to which Telegram cannot change a
 * message.
 */
export const shownMedia = ({kind, file}: Media, caption: Caption): Shown => {
  if (kind === "voice" || kind === "sticker" || kind === "video_note")
    throw refused(`Telegram cannot change a message to show a ${kind}`, {
      reason: "unsupported",
      remediation: "Send it in a separate message.",
    })
  return {type: kind, media: file, ...caption}
}
