import {randomUUID} from "node:crypto"
import type {Element} from "@xmpp/client"
import {refused} from "../../../shared/sdk/sdk.ts"
import {textIn} from "./members.ts"
import {failureIn, outcomeOf, StanzaFailure} from "./stream/failures.ts"
import {bare, isJid} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"
import type {Session} from "./stream/session.ts"

type Params = Readonly<Record<string, unknown>>

interface Asked {
  readonly session: Session
  readonly room: string
  readonly params: Params
  readonly signal: AbortSignal
}

type Method = (asked: Asked) => Promise<unknown>

const reasonIn = ({session: {xml}, params: {reason}}: Asked): Element | undefined =>
  typeof reason === "string" ? xml("reason", {}, reason) : undefined

/** Changes one user of a room (XEP-0045, sections 8 to 10). The room ignores what is already so. */
const change =
  (who: "jid" | "nick", what: "affiliation" | "role"): Method =>
  async asked => {
    const {session, room, params, signal} = asked
    const attrs = {[who]: textIn(params, who), [what]: textIn(params, what)}
    const item = session.xml("item", attrs, reasonIn(asked))
    await session.iq("set", room, session.xml("query", {xmlns: ns.mucAdmin}, item), signal)
    return {}
  }

const listAffiliations: Method = async ({session, room, params, signal}) => {
  const item = session.xml("item", {affiliation: textIn(params, "affiliation")})
  const answer = await session.iq("get", room, session.xml("query", {xmlns: ns.mucAdmin}, item), signal)
  const items = answer.getChild("query", ns.mucAdmin)?.getChildren("item") ?? []
  return items.map(({attrs: {jid, nick, affiliation}}) => ({jid, nick, affiliation}))
}

/** Sends a message to a room. Throws the room's refusal. */
const post = async ({session, room, signal}: Asked, type: string, child: Element): Promise<unknown> => {
  const id = randomUUID()
  let failure: StanzaFailure | undefined
  const stop = session.onStanza(stanza => {
    if (stanza.is("message") && stanza.attrs.id === id && stanza.attrs.type === "error") failure = failureIn(stanza)
  })
  try {
    await session.send(session.xml("message", {to: room, id, type}, child))
    // A room handles the stanzas of one sender in their order, so any answer comes after a refusal.
    await session.iq("get", room, session.xml("query", {xmlns: ns.info}), signal).catch(error => {
      if (!(error instanceof StanzaFailure)) throw error
    })
  } finally {
    stop()
  }
  if (failure !== undefined) throw failure
  return {}
}

/** XMPP's own methods, by the names of `platformMethods`. */
const methods: Readonly<Record<string, Method>> = {
  listAffiliations,
  setAffiliation: change("jid", "affiliation"),
  setRole: change("nick", "role"),
  setSubject: asked => post(asked, "groupchat", asked.session.xml("subject", {}, String(asked.params.subject ?? ""))),
  invite: asked => {
    const {xml} = asked.session
    const invite = xml("invite", {to: textIn(asked.params, "jid")}, reasonIn(asked))
    return post(asked, "normal", xml("x", {xmlns: ns.mucUser}, invite))
  },
}

export const ownMethodNames = Object.keys(methods)

/** Calls one of XMPP's own methods in the room that the parameter `room` names. */
export const callOwn = async (
  session: Session,
  name: string,
  params: Params,
  signal: AbortSignal,
): Promise<unknown> => {
  const room = textIn(params, "room")
  if (!isJid(room))
    throw refused(`"${room}" is not an XMPP address`, {
      reason: "target_invalid",
      remediation: "Use the address of a room, such as team@rooms.example.org.",
    })
  try {
    return await methods[name]?.({session, room: bare(room), params, signal})
  } catch (error) {
    throw outcomeOf(`${name} in ${room}`, error)
  }
}
