import type {Element} from "@xmpp/client"
import {StanzaFailure} from "../stream/failures.ts"
import {bare} from "../stream/jid.ts"
import {ns} from "../stream/names.ts"

const remedies: Readonly<Record<string, string>> = {
  "not-authorized": "it needs a password: set password of the room",
  "registration-required": "members only: make the bot's account a member",
  forbidden: "the bot is banned: ask an owner of the room",
  "service-unavailable": "the room is full",
  "item-not-found": "the room does not exist or is locked",
  "not-allowed": "the server does not allow creating this room",
}

/** Returns why a room does not let the bot enter, with the remedy. */
export const remedyOf = (error: Error): string => {
  const remedy = error instanceof StanzaFailure ? remedies[error.condition] : undefined
  return remedy === undefined ? error.message : `${error.message} (${remedy})`
}

/** Returns the status codes in a presence (XEP-0045, section 15.6.2). */
export const statusesIn = (stanza: Element): ReadonlySet<string> =>
  new Set(
    stanza
      .getChild("x", ns.mucUser)
      ?.getChildren("status")
      .flatMap(({attrs}) => attrs.code ?? []),
  )

export const itemIn = (stanza: Element): Element | undefined => stanza.getChild("x", ns.mucUser)?.getChild("item")

/** Returns the affiliation of an occupant, which a room gives to accounts: `owner`, `admin` or `member`. */
export const affiliationIn = (stanza: Element): string | undefined => {
  const affiliation = itemIn(stanza)?.attrs.affiliation
  return affiliation === "none" ? undefined : affiliation
}

/** Returns the account of an occupant, if the room shows it. */
export const accountIn = (stanza: Element): string | undefined => {
  const jid = itemIn(stanza)?.attrs.jid
  return jid === undefined ? undefined : bare(jid)
}
