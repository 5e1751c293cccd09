import {createHash, randomUUID} from "node:crypto"
import type {Element} from "@xmpp/client"
import {bare, normal} from "../stream/jid.ts"
import {ns} from "../stream/names.ts"
import type {Said} from "./events.ts"

/** The archive's id of a message, and when it was said. */
export interface Kept {
  readonly id: string | undefined
  readonly at: number
}

/** Returns the ids that an archive gave a message (XEP-0359), including forged ones. */
export const idsIn = (message: Element, archive: string): readonly string[] =>
  message
    .getChildren("stanza-id", ns.sid)
    .filter(({attrs}) => normal(attrs.by ?? "") === archive)
    .flatMap(({attrs}) => attrs.id || [])

/** Returns the accounts that a room's archive names as the author. */
export const accountsIn = (message: Element): readonly string[] =>
  message
    .getChildren("x", ns.mucUser)
    .flatMap(part => part.getChildren("item"))
    .flatMap(({attrs}) => (attrs.jid === undefined ? [] : [bare(attrs.jid)]))

export const saidOf = (message: Element, {id, at}: Kept, archive: string, named: string | undefined): Said => {
  const origin = message.getChild("origin-id", ns.sid)?.attrs.id || message.attrs.id || id || randomUUID()
  const from = message.attrs.from ?? ""
  return {
    id: id === undefined ? `${from} ${origin} ${momentOf(message)}` : `${archive} ${id}`,
    message: named || origin,
    origin: message.attrs.id || origin,
    at,
  }
}

/**
 * Tells two stanzas with one id apart. Without an archive only the sender's id exists, which clients repeat. A server
 * delivers a stanza once, except one that it has stored: its time of storing stays the same.
 */
const momentOf = (message: Element): string => {
  const stamp = message.getChild("delay", ns.delay)?.attrs.stamp
  if (stamp === undefined) return randomUUID()
  return `${stamp} ${createHash("sha256").update(message.toString()).digest("hex").slice(0, 16)}`
}
