import {
  channelType,
  type DatedIncoming,
  type Element,
  fileElement,
  h,
  isElement,
  type Node,
  renderContent,
  textOf,
} from "../../../../shared/sdk/sdk.ts"
import {type AccountSettings, allows} from "../mailbox/account.ts"
import {fileSource} from "../mailbox/download.ts"
import {channelOf, eventId, type Place, threadOfMail} from "../mailbox/ids.ts"
import type {FilePart} from "./body.ts"
import {readHtml} from "./html.ts"
import type {Letter, Said} from "./letters.ts"
import {withoutQuotes} from "./text.ts"

/** What to do with a mail, judged by its headers. */
export type Judgement =
  | {readonly is: "taken"; readonly place: Required<Place>}
  /** The mail becomes an event without a channel, so that no plugin answers it by mistake. */
  | {readonly is: "told"; readonly why: "bounce" | "list" | "automatic"}
  | {readonly is: "left"; readonly why: string}

/** Returns the mail's id as a message: its `Message-ID`, otherwise an id made from its headers. */
export const messageIdOf = ({headers, written}: Letter): string => headers.messageId ?? idOf({headers, written})

const idOf = ({headers, written}: Pick<Letter, "headers" | "written">): string =>
  eventId(headers.messageId, headers.from?.address ?? "", headers.date, written)

export const judge = (letter: Letter, account: AccountSettings): Judgement => {
  const {headers} = letter
  const {from, replyTo, automatic} = headers
  const own = account.address.toLowerCase()
  if (from?.address === own) return {is: "left", why: "the bot's own"}
  if (automatic !== undefined) return {is: "told", why: automatic}
  if (from === undefined) return {is: "left", why: "without a sender"}
  if (!allows(account, from.address)) return {is: "left", why: `from ${from.address}, which allow does not list`}
  const isAnswerable = replyTo !== undefined && replyTo !== own && allows(account, replyTo)
  const thread = threadOfMail({...headers, messageId: messageIdOf(letter)}, own)
  return {is: "taken", place: {address: isAnswerable ? replyTo : from.address, thread}}
}

export interface Mailbox {
  readonly account: AccountSettings
  /** The folder's `UIDVALIDITY`. */
  readonly validity: string
}

/** Returns the event of a mail that a person may have written. */
export const messageEvent = (letter: Letter, said: Said, place: Required<Place>, mailbox: Mailbox): DatedIncoming => {
  const {headers, arrived} = letter
  const {from, account} = headers
  const id = messageIdOf(letter)
  const name = from?.name ?? ""
  return {
    id: idOf(letter),
    type: "message-created",
    timestamp: arrived,
    channel: {
      id: channelOf(place),
      type: channelType.direct,
      ...(headers.subject === "" ? {} : {name: headers.subject}),
    },
    user: {
      id: from?.address ?? place.address,
      ...(name === "" ? {} : {name}),
      ...(account === undefined ? {} : {account}),
    },
    message: {id, content: renderContent(contentOf(letter, said, mailbox))},
    raw: {type: "mail", data: rawOf(letter, said)},
  }
}

/** Returns the event, without a channel, of a mail that no person wrote to the bot. */
export const toldEvent = (letter: Letter, said: Said, why: string): DatedIncoming => ({
  id: idOf(letter),
  type: "internal",
  timestamp: letter.arrived,
  raw: {type: `mail/${why}`, data: rawOf(letter, said)},
})

const rawOf = ({headers, size}: Letter, {texts, isCut}: Said) => ({
  messageId: headers.messageId ?? null,
  inReplyTo: headers.inReplyTo,
  references: headers.references,
  from: headers.from ?? null,
  replyTo: headers.replyTo ?? null,
  to: headers.to,
  cc: headers.cc,
  subject: headers.subject,
  date: headers.date.toWellFormed(),
  size,
  isCut,
  texts: texts.map(({isHtml, text}) => ({type: isHtml ? "text/html" : "text/plain", text})),
})

const contentOf = ({uid, outline, headers}: Letter, said: Said, {validity}: Mailbox): readonly Node[] => {
  const shown = new Set<FilePart>()
  const elementOf = ({part, name, type}: FilePart): Element =>
    fileElement({src: fileSource({validity, uid, part}), name, type})
  const imageOf = (cid: string) => {
    const found = outline.files.find(file => file.cid === cid && file.type.startsWith("image/"))
    if (found === undefined || shown.has(found)) return undefined
    shown.add(found)
    return elementOf(found)
  }
  const texts = said.texts.map(({isHtml, text}) =>
    isHtml ? readHtml(text, imageOf, headers.subject) : plainNodes(text, headers.subject),
  )
  const written = joined(texts.filter(nodes => nodes.length > 0))
  const files = outline.files.filter(file => !shown.has(file)).map(elementOf)
  const [quoted] = headers.inReplyTo
  const isAnswer = quoted !== undefined || headers.references.length > 0
  // Often the subject is the whole question.
  const isEmpty = !isAnswer && files.length === 0 && textOf(written).trim() === "" && !written.some(isElement)
  return [
    ...(quoted === undefined ? [] : [h("quote", {id: quoted})]),
    ...(isEmpty && headers.subject !== "" ? [headers.subject] : written),
    ...(said.isCut ? ["\n…"] : []),
    ...files,
  ]
}

const plainNodes = (text: string, subject: string): readonly Node[] => {
  const own = withoutQuotes(text, subject)
  return own === "" ? [] : [own]
}

const joined = (texts: readonly (readonly Node[])[]): readonly Node[] =>
  texts.flatMap((nodes, index) => (index === 0 ? nodes : ["\n\n", ...nodes]))
