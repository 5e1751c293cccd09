import {randomUUID} from "node:crypto"
import type {Element} from "@xmpp/client"
import {StanzaFailure} from "../stream/failures.ts"
import {normal} from "../stream/jid.ts"
import {ns} from "../stream/names.ts"
import type {Session} from "../stream/session.ts"

/** One message of an archive (XEP-0313). */
export interface Archived {
  /** The archive's id, which is the `stanza-id` of the live message. */
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly message: Element
}

export interface ArchiveQuery {
  /** The address of the archive: the account's or a room's. */
  readonly archive: string
  /** Ids of the archive. `before: ""` requests the newest messages. */
  readonly after?: string
  readonly before?: string
  /** In milliseconds since 1970. */
  readonly start?: number
  /** Only messages from and to this address. */
  readonly peer?: string
  /** Only these messages. Needs a server with `urn:xmpp:mam:2#extended`. */
  readonly ids?: readonly string[]
  readonly max: number
}

export interface ArchivePage {
  /** Oldest first. */
  readonly items: readonly Archived[]
  /** Whether there are no more messages in the direction of the query. */
  readonly isComplete: boolean
}

/**
 * Reads one page of an archive. Throws `StanzaFailure`; its condition is `item-not-found` if the archive does not know
 * an id of the query.
 */
export const queryArchive = async (
  session: Session,
  query: ArchiveQuery,
  signal?: AbortSignal,
): Promise<ArchivePage> => {
  const {archive} = query
  const queryId = randomUUID()
  const items: Archived[] = []
  const stop = session.onStanza(stanza => {
    if (!stanza.is("message") || !isFrom(session, stanza, archive)) return
    const result = stanza.getChild("result", ns.mam)
    if (result === undefined || result.attrs.queryid !== queryId) return
    const found = archivedIn(result)
    if (found !== undefined) items.push(found)
  })
  try {
    const to = archive === session.own ? undefined : archive
    const answer = await session.iq("set", to, requestOf(session, queryId, query), signal)
    const fin = answer.getChild("fin", ns.mam)
    if (fin === undefined) throw new StanzaFailure("undefined-condition", "cancel", `${archive} answered without fin`)
    return {items, isComplete: fin.attrs.complete === "true" || items.length === 0}
  } finally {
    stop()
  }
}

/** Checks the sender, because anyone can send a message that looks like an archive's. */
const isFrom = (session: Session, stanza: Element, archive: string): boolean => {
  const {from} = stanza.attrs
  return from === undefined ? archive === session.own : normal(from) === archive
}

const archivedIn = (result: Element): Archived | undefined => {
  const {id} = result.attrs
  const forwarded = result.getChild("forwarded", ns.forward)
  const message = forwarded?.getChild("message")
  const at = Date.parse(forwarded?.getChild("delay", ns.delay)?.attrs.stamp ?? "")
  if (id === undefined || id === "" || message === undefined) return undefined
  return {id, at: Number.isNaN(at) ? Date.now() : at, message}
}

const requestOf = ({xml}: Session, queryid: string, query: ArchiveQuery): Element => {
  const {after, before, start, peer, ids = [], max} = query
  const field = (name: string, values: readonly string[], attrs = {}) =>
    xml("field", {var: name, ...attrs}, ...values.map(value => xml("value", {}, value)))
  const fields = [
    ...(peer === undefined ? [] : [field("with", [peer])]),
    ...(start === undefined ? [] : [field("start", [new Date(start).toISOString()])]),
    ...(ids.length === 0 ? [] : [field("ids", ids)]),
  ]
  const form = [field("FORM_TYPE", [ns.mam], {type: "hidden"}), ...fields]
  return xml(
    "query",
    {xmlns: ns.mam, queryid},
    fields.length === 0 ? undefined : xml("x", {xmlns: ns.data, type: "submit"}, ...form),
    xml(
      "set",
      {xmlns: ns.rsm},
      xml("max", {}, String(max)),
      after === undefined ? undefined : xml("after", {}, after),
      before === undefined ? undefined : xml("before", {}, before),
    ),
  )
}
