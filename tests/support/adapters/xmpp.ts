import type {AdapterUnderTest, FileUnderTest, PlatformUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {until} from "../host/process.ts"
import {type Cable, layCable} from "../machine/cable.ts"
import {joinXmpp, type Person, xml} from "../platforms/xmpp/person.ts"
import {type Prosody, startProsody} from "../platforms/xmpp/prosody.ts"
import {heardBy} from "../platforms/xmpp/told.ts"

/** Uploads a file to the server's upload service as clients do (XEP-0363); resolves to its address. */
export const uploadAs = async (person: Person, {name, type, bytes}: FileUnderTest): Promise<string> => {
  const size = String(bytes.length)
  const request = xml("request", {xmlns: "urn:xmpp:http:upload:0", filename: name, size, "content-type": type})
  const slot = (await person.ask("get", "uploads.localhost", request)).getChild("slot")
  const header = slot?.getChild("put")?.getChild("header")
  const answer = await fetch(slot?.getChild("put")?.attrs.url ?? "", {
    method: "PUT",
    body: Uint8Array.from(bytes),
    headers: {"content-type": type, ...(header === undefined ? {} : {[header.attrs.name ?? ""]: header.getText()})},
  })
  if (!answer.ok) throw new Error(`the upload was answered with ${answer.status}`)
  return slot?.getChild("get")?.attrs.url ?? ""
}

/** The number of accounts, and so of checks. */
const mostChecks = 60

/** The adapter in a room of a real Prosody, which ends with the test; each check has its own room and account. */
export const xmpp = (): AdapterUnderTest => {
  let server: Promise<Prosody> | undefined
  let checks = 0
  const bots = Array.from({length: mostChecks}, (_, index) => [`bot${index + 1}`, "bot-password"])
  const accounts = {ann: "ann-password", ben: "ben-password", cleo: "cleo-password", ...Object.fromEntries(bots)}
  return {
    use: "xmpp",
    name: "xmpp",
    env: {XMPP_PASSWORD: "bot-password", XMPP_OTHER: "other-password"},
    platform: async () => {
      server ??= startProsody({accounts})
      return enter(await server, ++checks)
    },
  }
}

const enter = async (server: Prosody, check: number): Promise<PlatformUnderTest> => {
  const room = `team${check}@rooms.localhost`
  const bot = `${room}/bot`
  const cable = await layCable(server.port)
  const ann = await joinXmpp(server, "ann", {password: "ann-password", room})
  for (const name of ["ben", "cleo"]) await joinXmpp(server, name, {password: `${name}-password`, room})
  const account = {
    id: "one",
    jid: `bot${check}@localhost`,
    password: "${XMPP_PASSWORD}",
    service: `xmpp://127.0.0.1:${cable.port}`,
    tls: false,
    nick: "bot",
    rooms: [{jid: room}],
  }
  // Ann made the room, so she grants the bot its rights there.
  const item = xml("item", {affiliation: "admin", jid: account.jid})
  await ann.ask("set", room, xml("query", {xmlns: "http://jabber.org/protocol/muc#admin"}, item))
  const composing = 'composing xmlns="http://jabber.org/protocol/chatstates"'
  return {
    account,
    refused: {...account, password: "${XMPP_OTHER}"},
    hostile: ({port, isSecure}) => ({
      account: {...account, service: `${isSecure ? "xmpps" : "xmpp"}://127.0.0.1:${port}`, tls: isSecure},
    }),
    channel: room,
    say: async text => {
      const id = await ann.say(room, text)
      await until("the room to have it", () => ann.stanzas.some(({stanza}) => stanza.attrs.id === id))
    },
    // A new connection reads from the archive what it already received live.
    repeat: () => cut(cable, server),
    heard: () => heardBy(ann, bot),
    sayFile: async file => {
      const src = await uploadAs(ann, file)
      await ann.say(room, src, xml("x", {xmlns: "jabber:x:oob"}, xml("url", {}, src)))
    },
    cut: () => cut(cable, server),
    connections: () => cable.open,
    typing: () =>
      ann.stanzas.filter(({stanza}) => stanza.attrs.from === bot && stanza.toString().includes(composing)).length,
    user: "ann@localhost",
    calls: {
      "guild.member.mute": {guild_id: room, user_id: `${room}/ben`, duration: 60_000},
      "guild.member.kick": {guild_id: room, user_id: `${room}/cleo`},
    },
  }
}

const cut = async (cable: Cable, {port}: Prosody): Promise<void> => {
  cable.cut()
  cable.join(port)
}
