import {type Element, type Endpoint, isElement, type Node, type Outgoing} from "../../../../shared/sdk/sdk.ts"
import {type ApiSignal, apiSignal, type Bot} from "../bot.ts"
import type {Place} from "../place.ts"
import {keyboardOf} from "./buttons.ts"
import {groupMedia, type Media, mediaOf} from "./media.ts"
import {type Caption, sendMedia} from "./methods.ts"
import {type Rendered, render} from "./render.ts"

/** The longest caption of a file, in characters. A longer text is a message behind the files. */
export const longestCaption = 1024

/** One message of Telegram's, or one album; resolves to its ids. */
type Step = (place: Place, signal: ApiSignal) => Promise<readonly string[]>

/** Content with its files, as Telegram takes it. */
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

/** The text under a file; nothing where it is none. */
export const captionOf = ({text, entities}: Rendered): Caption =>
  text === "" ? {} : {caption: text, caption_entities: entities}

/**
 * What one message of the bot takes: its files, in albums where it has no buttons, and behind them a text that is too
 * long for a caption.
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

/** How many messages that were sent in part are remembered. */
const remembered = 200

/**
 * Sends a message, which may be several of Telegram's. Where Telegram refuses one of them for now, another attempt goes
 * on with that one, as long as the connection lasts.
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
