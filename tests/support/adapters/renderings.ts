import {embedsOf, splitCards} from "../../../server/adapters/discord/content/embeds.ts"
import {writeMarkdown} from "../../../server/adapters/discord/content/write.ts"
import {compose} from "../../../server/adapters/email/send/compose.ts"
import {toLines} from "../../../server/adapters/irc/format.ts"
import {textOfContent} from "../../../server/adapters/matrix/format/outgoing.ts"
import {shownText} from "../../../server/adapters/sandbox/buttons.ts"
import {writeMessage} from "../../../server/adapters/slack/content/write.ts"
import {render} from "../../../server/adapters/telegram/outgoing/render.ts"
import {writeContent} from "../../../server/adapters/xmpp/content/write.ts"
import type {Element, Node} from "../../../shared/sdk/sdk.ts"

const isFile = ({type}: Element): boolean => ["img", "audio", "video", "file"].includes(type)

/** What each adapter's own function makes of content, as JSON. */
export const renderings = {
  telegram: content => {
    const {text, entities, files, buttons} = render(content, isFile)
    return {text, ...some({entities, files: files.map(({type}) => type), buttons})}
  },
  discord: content => {
    const {rest, cards} = splitCards(content)
    const embeds = cards.flatMap(card => embedsOf(card, ({attrs}) => String(attrs.src ?? ""), isFile))
    const {text, mentions} = writeMarkdown(rest, isFile)
    return {text, ...some({embeds, users: mentions.users, parse: mentions.parse})}
  },
  slack: content => {
    const {blocks, files} = writeMessage(content)
    return {blocks, ...some({files})}
  },
  matrix: content => {
    const {body, html, users} = textOfContent(content)
    return {body, html, ...some({users})}
  },
  email: async content => {
    const {text, html} = await compose(content, async () => undefined, "m")
    return {text, ...(html === text ? {} : {html})}
  },
  xmpp: content => {
    const {body, isStyled, files} = writeContent(content, {nickOf: () => undefined})
    return {body, ...(isStyled ? {isStyled} : {}), ...some({files})}
  },
  irc: content => toLines(content),
  sandbox: content => shownText(content),
} satisfies Readonly<Record<string, (content: readonly Node[]) => unknown>>

export type Platform = keyof typeof renderings

const some = (lists: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
