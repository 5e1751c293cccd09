import {type Element, type Endpoint, isElement, type Node, type Outgoing} from "../../../../shared/sdk/sdk.ts"
import {type ApiSignal, apiSignal, type Bot} from "../api/bot.ts"
import type {Place} from "../api/place.ts"
import {keyboardOf} from "./buttons.ts"
import {groupMedia, type Media, mediaOf} from "./media.ts"
import {type Caption, sendMedia} from "./methods.ts"
import {type Rendered, render} from "./render.ts"

/** The longest caption of a file, in characters. A longer text becomes a message after the files. */
export const longestCaption = 1024

/** Sends one Telegram message or one album. Resolves to its ids. */
type Step = (place: Place, signal: ApiSignal) => Promise<readonly string[]>

/** Content with its files, for Telegram. */
export interface Prepared extends Rendered {
  readonly media: readonly Media[]
}

const elementsIn = (nodes: readonly Node[]): readonly Element[] =>
  nodes.flatMap(node => (isElement(node) ? [node, ...elementsIn(node.children)] : []))

export const prepare = async (content: readonly Node[], endpoint: Endpoint, bot: Bot): Promise<Prepared> => {
  const found = new Map<Element, Media>()
  for (const element of elementsIn(content)) {
    const media = await mediaOf(element, endpoint, bot)
    if (media !== undefined) found.set(element, media)
  }
  const rendered = render(content, element => found.has(element))
  return {...rendered, media: rendered.files.flatMap(file => found.get(file) ?? [])}
}

const hasCaption = ({kind}: Media): boolean => kind !== "sticker" && kind !== "video_note"

/** Returns the caption of a file; empty if there is no text. */
export const captionOf = ({text, entities}: Rendered): Caption =>
  text === "" ? {} : {caption: text, caption_entities: entities}

/**
 * Returns the steps of one message: its files, in albums if it has no buttons, and then a text that is too long for a
 * caption.
 */
const stepsOf = ({api}: Bot, prepared: Prepared): readonly Step[] => {
  const {text, entities, media, buttons, answers} = prepared
  const groups = buttons.length === 0 ? groupMedia(media) : media.map(each => [each])
  const first = groups[0]?.[0]
  const isCaption = first !== undefined && hasCaption(first) && text.length <= longestCaption
  const count = groups.length + (isCaption || (text === "" && first !== undefined) ? 0 : 1)
  const around = (number: number) => ({
    ...(number === 0 && answers !== undefined
      ? {reply_parameters: {message_id: answers, allow_sending_without_reply: true}}
      : {}),
    ...(number === count - 1 && buttons.length > 0 ? {reply_markup: keyboardOf(buttons)} : {}),
  })
  const files = groups.map((group, number): Step => {
    const caption = number === 0 && isCaption ? captionOf(prepared) : {}
    return (place, signal) => sendMedia(api, group, {caption, ...place, ...around(number)}, signal)
  })
  if (count === files.length) return files
  const say: Step = async (place, signal) => {
    const {message_id} = await api.sendMessage({text, entities, ...place, ...around(files.length)}, signal)
    return [String(message_id)]
  }
  return [...files, say]
}

/** The number of partly sent messages that are remembered. */
const remembered = 200

/**
 * Sends a message, which may be several Telegram messages. If Telegram rejects one of them for now, the next attempt on
 * this connection continues with that one.
 */
export const createSend = (bot: Bot, endpoint: Endpoint) => {
  const done = new Map<string, readonly (readonly string[])[]>()
  return async (
    {id, content}: Outgoing,
    place: Place,
    signal: AbortSignal,
  ): Promise<{readonly ids: readonly string[]}> => {
    const steps = stepsOf(bot, await prepare(content, endpoint, bot))
    const sent = [...(done.get(id) ?? [])]
    done.delete(id)
    for (const step of steps.slice(sent.length)) {
      try {
        sent.push(await step(place, apiSignal(signal)))
      } catch (error) {
        if (sent.length > 0) done.set(id, sent)
        for (const oldest of [...done.keys()].slice(0, -remembered)) done.delete(oldest)
        throw error
      }
    }
    return {ids: sent.flat()}
  }
}
