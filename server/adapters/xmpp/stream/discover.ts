import {ns} from "./names.ts"
import type {Session} from "./session.ts"

export interface Discovered {
  readonly features: ReadonlySet<string>
  /** The name of the first identity that has one. */
  readonly name: string | undefined
  /** Values of each form's fields, with the key `<FORM_TYPE> <var>`. */
  readonly fields: ReadonlyMap<string, string>
}

/** Returns the identity and features of an address (XEP-0030). Throws `StanzaFailure`. */
export const discover = async (session: Session, jid: string, signal?: AbortSignal): Promise<Discovered> => {
  const answer = await session.iq("get", jid, session.xml("query", {xmlns: ns.info}), signal)
  const query = answer.getChild("query", ns.info)
  const fields = new Map<string, string>()
  for (const form of query?.getChildren("x", ns.data) ?? []) {
    const pairs = form
      .getChildren("field")
      .map(field => [field.attrs.var ?? "", field.getChild("value")?.getText() ?? ""] as const)
    const type = pairs.find(([name]) => name === "FORM_TYPE")?.[1] ?? ""
    for (const [name, value] of pairs) fields.set(`${type} ${name}`, value)
  }
  return {
    features: new Set(query?.getChildren("feature").flatMap(({attrs}) => attrs.var ?? [])),
    name: query?.getChildren("identity").find(({attrs}) => attrs.name)?.attrs.name,
    fields,
  }
}

/** Returns the addresses that a server offers. */
export const discoverItems = async (
  session: Session,
  jid: string,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const answer = await session.iq("get", jid, session.xml("query", {xmlns: ns.items}), signal)
  const items = answer.getChild("query", ns.items)?.getChildren("item") ?? []
  return items.flatMap(({attrs}) => attrs.jid ?? [])
}
