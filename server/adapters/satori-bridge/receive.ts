import {randomUUID} from "node:crypto"
import type {Incoming} from "../../../shared/sdk/sdk.ts"
import {incomingOf} from "../satori/event.ts"
import {type Fields, fieldsOf, textIn} from "../satori/fields.ts"
import {elementsIn} from "./elements.ts"
import type {Core, Session} from "./koishi.ts"
import type {Stock} from "./stock.ts"

/** A session of Koishi as an event of Satori, in plain data without secrets. */
export const eventOf = (session: Session, {core, veil}: Pick<Stock, "core" | "veil">): Fields => {
  const event = fieldsOf(veil.data(core.Universal.transformKey(session.toJSON(), core.snakeCase)))
  const {message, user} = event
  return commandOf({
    ...event,
    ...(message === undefined ? {} : {message: messageOf(fieldsOf(message), core)}),
    ...(user === undefined ? {} : {user: userOf(fieldsOf(user), session.locales)}),
  })
}

const messageOf = (message: Fields, core: Core): Fields => ({
  ...message,
  content: elementsIn(textIn(message, "content") ?? "", core.h),
})

/** An avatar that not anybody can open is left out: some have a token in their address. */
const userOf = ({avatar, ...user}: Fields, [locale]: readonly string[]): Fields => ({
  ...user,
  ...(locale === undefined ? {} : {locale}),
  ...(/^https?:/.test(String(avatar)) && !String(avatar).includes("[secret]") ? {avatar} : {}),
})

/** Some adapters make a command of a message that begins with a slash: for svc it is that message. */
const commandOf = (event: Fields): Fields => {
  const message = fieldsOf(event.message)
  const content = textIn(message, "content")
  if (event.type !== "interaction/command" || content === undefined) return event
  return {...event, type: "message-created", message: {...message, content: `/${content}`}}
}

/** Undefined for what the Host does not take, and for what the bot has said itself. */
export const incomingFrom = (
  session: Session,
  stock: Pick<Stock, "core" | "veil">,
  proxies: readonly string[],
): Incoming | undefined => {
  const event = eventOf(session, stock)
  const type = textIn(event, "type") ?? ""
  // Beside each event the adapters tell the platform's own, which is in `_data` of that one already.
  if (type === "internal") return undefined
  const update = textIn(fieldsOf(event._data), "update_id")
  const id = update === undefined ? randomUUID() : `${type}/${update}`
  return incomingOf(event, {login: {user: {id: session.selfId ?? ""}}, proxies, id})
}
