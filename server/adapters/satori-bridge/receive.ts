import {randomUUID} from "node:crypto"
import type {Incoming} from "../../../shared/sdk/sdk.ts"
import {incomingOf} from "../satori/event.ts"
import {type Fields, fieldsOf, textIn} from "../satori/fields.ts"
import {elementsIn} from "./elements.ts"
import type {Core, Session} from "./koishi.ts"
import type {Stock} from "./stock.ts"

/** Returns a Koishi session as a Satori event, in plain data without secrets. */
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

/** Drops an avatar that is not public, because some have a token in their address. */
const userOf = ({avatar, ...user}: Fields, [locale]: readonly string[]): Fields => ({
  ...user,
  ...(locale === undefined ? {} : {locale}),
  ...(/^https?:/.test(String(avatar)) && !String(avatar).includes("[secret]") ? {avatar} : {}),
})

/** Some adapters turn a message that starts with a slash into a command. svc needs the message. */
const commandOf = (event: Fields): Fields => {
  const message = fieldsOf(event.message)
  const content = textIn(message, "content")
  if (event.type !== "interaction/command" || content === undefined) return event
  return {...event, type: "message-created", message: {...message, content: `/${content}`}}
}

/** Returns undefined for events that the Host does not accept, and for the bot's own. */
export const incomingFrom = (
  session: Session,
  stock: Pick<Stock, "core" | "veil">,
  proxies: readonly string[],
): Incoming | undefined => {
  const event = eventOf(session, stock)
  const type = textIn(event, "type") ?? ""
  // Besides each event, adapters report the platform's own, which that event's `_data` already contains.
  if (type === "internal") return undefined
  return incomingOf(event, {login: {user: {id: session.selfId ?? ""}}, proxies, id: randomUUID()})
}
