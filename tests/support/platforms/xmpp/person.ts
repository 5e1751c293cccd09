import {randomUUID} from "node:crypto"
import {type Child, client, type Element, xml} from "@xmpp/client"
import {until} from "../../host/process.ts"
import {whenOver} from "../../host/shared.ts"

export {xml}

export interface PersonOptions {
  readonly password: string
  readonly room?: string
  readonly nick?: string
}

/** A person on an XMPP server: a separate client that shares only its library with the adapter. */
export interface Person {
  readonly jid: string
  /** Every stanza from the server so far, with its time of arrival in milliseconds since 1970. */
  readonly stanzas: readonly {readonly stanza: Element; readonly at: number}[]
  send(stanza: Element): Promise<void>
  /** Sends a message; resolves to its id. A `to` without a resource below `rooms.` is a room. */
  say(to: string, text: string, ...more: Child[]): Promise<string>
  post(to: string, ...children: Child[]): Promise<string>
  ask(type: "get" | "set", to: string | undefined, child: Element): Promise<Element>
  sees(what: string, fits: (message: Element) => boolean): Promise<Element>
  leave(): Promise<void>
}

/** Connects without TLS. Leaves at the latest when the test ends. */
export const joinXmpp = async (
  {port}: {readonly port: number},
  name: string,
  {password, room, nick = name}: PersonOptions,
): Promise<Person> => {
  const connection = client({
    service: `xmpp://127.0.0.1:${port}`,
    domain: "localhost",
    username: name,
    password,
    resource: `person-${randomUUID().slice(0, 8)}`,
  })
  connection.timeout = 20_000
  connection.reconnect.stop()
  connection.on("error", () => {})
  // The test's certificate is not trusted.
  connection.prependListener("element", (element: Element) => {
    if (element.is("features")) element.remove("starttls", "urn:ietf:params:xml:ns:xmpp-tls")
  })
  const stanzas: {stanza: Element; at: number}[] = []
  connection.on("stanza", (stanza: Element) => stanzas.push({stanza, at: Date.now()}))
  const leave = async () => {
    if (connection.status === "online") await connection.stop().catch(() => {})
  }
  whenOver(leave)
  await connection.start()
  await connection.send(xml("presence"))
  if (room !== undefined) {
    const history = xml("history", {maxstanzas: "0"})
    await connection.send(
      xml("presence", {to: `${room}/${nick}`}, xml("x", {xmlns: "http://jabber.org/protocol/muc"}, history)),
    )
    const self = await until(`${name} in ${room}`, () =>
      stanzas.find(({stanza}) => stanza.is("presence") && stanza.attrs.from === `${room}/${nick}`),
    )
    if (self.stanza.attrs.type === "error") throw new Error(`${name} is not let into ${room}: ${self.stanza}`)
    if (self.stanza.toString().includes('code="201"')) {
      const form = xml("x", {xmlns: "jabber:x:data", type: "submit"})
      await connection.iqCaller.request(
        xml("iq", {type: "set", to: room}, xml("query", {xmlns: "http://jabber.org/protocol/muc#owner"}, form)),
        20_000,
      )
    }
  }
  const post = async (to: string, ...children: Child[]) => {
    const id = randomUUID()
    const type = /^[^/]+@rooms\.[^/]+$/.test(to) ? "groupchat" : "chat"
    await connection.send(xml("message", {to, type, id}, ...children))
    return id
  }
  let seen = 0
  return {
    jid: connection.jid?.toString() ?? "",
    stanzas,
    send: stanza => connection.send(stanza),
    post,
    say: (to, text, ...more) => post(to, xml("body", {}, text), ...more),
    ask: (type, to, child) =>
      connection.iqCaller.request(xml("iq", to === undefined ? {type} : {type, to}, child), 20_000),
    sees: async (what, fits) => {
      const found = await until(`${name} to see ${what}`, () => {
        const at = stanzas.findIndex(({stanza}, index) => index >= seen && stanza.is("message") && fits(stanza))
        if (at < 0) return undefined
        seen = at + 1
        return stanzas[at]?.stanza
      }).catch(error => {
        throw new Error(
          `${error.message}; the last stanzas were:\n${stanzas
            .slice(-8)
            .map(each => each.stanza)
            .join("\n")}`,
        )
      })
      return found
    },
    leave,
  }
}
