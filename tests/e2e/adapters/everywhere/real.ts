import {until} from "../../../support/host/process.ts"
import {joinIrc, startIrcServer} from "../../../support/irc/servers.ts"
import {mailboxPassword} from "../../../support/platforms/email/dovecot.ts"
import {startMailWorld} from "../../../support/platforms/email/world.ts"
import {startDendrite} from "../../../support/platforms/matrix/dendrite.ts"
import {Person} from "../../../support/platforms/matrix/person.ts"
import {accountAt} from "../../../support/platforms/mqtt/host.ts"
import {passwords, startBroker} from "../../../support/platforms/mqtt/mosquitto.ts"
import {joinBroker} from "../../../support/platforms/mqtt/person.ts"
import {joinXmpp, xml} from "../../../support/platforms/xmpp/person.ts"
import {startProsody} from "../../../support/platforms/xmpp/prosody.ts"
import {heardBy} from "../../../support/platforms/xmpp/told.ts"
import type {Place, Who} from "./place.ts"

const names = ["ann", "bob", "cid", "eve"] as const

const byName = async <T>(make: (name: Who) => Promise<T>): Promise<Readonly<Record<Who, T>>> => {
  const made = await Promise.all(names.map(async name => [name, await make(name)] as const))
  return Object.fromEntries(made) as Record<Who, T>
}

export interface IrcPlace extends Place {
  /** The bot's messages in `#mods`, where the moderators read. */
  moderators(): readonly string[]
  /** Waits until the bot has joined both channels at least `times` times. */
  untilJoined(times: number): Promise<unknown>
}

/** The channel `#team` of a real ngircd; the moderators are in `#mods`. */
export const ircPlace = async (): Promise<IrcPlace> => {
  const server = await startIrcServer("ngircd")
  const people = await byName(name => joinIrc(server, name, {channel: "#team"}))
  const mod = await joinIrc(server, "mod", {channel: "#mods"})
  const joins = (lines: readonly string[]) => lines.filter(line => /^:svcbot!\S+ JOIN/.test(line)).length
  return {
    name: "irc~one",
    counterpart: "real server",
    account: {
      id: "one",
      server: "127.0.0.1",
      port: server.port,
      tls: false,
      nick: "svcbot",
      channels: ["#team", "#mods"],
    },
    isShared: true,
    say: (who, text) => people[who].say("#team", text),
    heard: () => people.ann.heard("svcbot", "#team"),
    judged: "not deleted, not muted",
    moderators: () => mod.heard("svcbot", "#mods"),
    untilJoined: times =>
      until("the bot in its channels", () => joins(people.ann.lines) >= times && joins(mod.lines) >= times),
  }
}

/** A room of a real Dendrite where the bot may delete messages. */
export const matrixPlace = async (): Promise<Place> => {
  const homeserver = await startDendrite()
  const bot = await Person.register(homeserver, "bot")
  const people = await byName(name => Person.register(homeserver, name))
  const power = {power_level_content_override: {users: {[people.ann.id]: 100, [bot.id]: 50}}}
  const room = await people.ann.createRoom({preset: "public_chat", ...power})
  for (const person of [bot, people.bob, people.cid, people.eve]) await person.join(room)
  let spam = ""
  return {
    name: "matrix~one",
    counterpart: "real server",
    env: {MATRIX_TOKEN: bot.token},
    account: {id: "one", homeserver: homeserver.url, accessToken: "${MATRIX_TOKEN}"},
    isShared: true,
    say: async (who, text) => {
      const id = await people[who].say(room, text)
      if (who === "eve") spam = id
    },
    heard: async () => {
      const said = (await people.ann.events(room)).filter(
        each => each.type === "m.room.message" && each.sender === bot.id,
      )
      return said.map(({content}) => String(content["m.new_content"]?.body ?? content.body ?? ""))
    },
    judged: "deleted, not muted",
    didJudge: async () => {
      const found = (await people.ann.events(room)).find(({event_id}) => event_id === spam)
      return found?.unsigned?.redacted_because !== undefined
    },
  }
}

/** A room of a real Prosody in which the bot is a moderator. */
export const xmppPlace = async (): Promise<Place> => {
  const room = "team@rooms.localhost"
  const accounts = Object.fromEntries([...names, "bot"].map(name => [name, `${name}-password`]))
  const server = await startProsody({accounts})
  const ann = await joinXmpp(server, "ann", {password: "ann-password", room})
  const join = async (name: Who) =>
    name === "ann" ? ann : joinXmpp(server, name, {password: `${name}-password`, room})
  const people = await byName(join)
  const item = xml("item", {affiliation: "admin", jid: "bot@localhost"})
  await ann.ask("set", room, xml("query", {xmlns: "http://jabber.org/protocol/muc#admin"}, item))
  const seen = (text: string) => ann.stanzas.some(({stanza}) => stanza.toString().includes(text))
  return {
    name: "xmpp~one",
    counterpart: "real server",
    env: {XMPP_PASSWORD: "bot-password"},
    account: {
      id: "one",
      jid: "bot@localhost",
      password: "${XMPP_PASSWORD}",
      service: `xmpp://127.0.0.1:${server.port}`,
      tls: false,
      nick: "bot",
      rooms: [{jid: room}],
    },
    isShared: true,
    say: (who, text) => people[who].say(room, text),
    heard: async () => (await heardBy(ann, `${room}/bot`)).map(({text}) => text),
    judged: "deleted, muted",
    didJudge: () =>
      seen('xmlns="urn:xmpp:fasten:0"') &&
      ann.stanzas.some(({stanza}) => stanza.attrs.from === `${room}/eve` && /role="visitor"/.test(stanza.toString())),
  }
}

/** The channel `room` of a real Mosquitto, with JSON payloads that name their user. */
export const mqttPlace = async (): Promise<Place> => {
  const broker = await startBroker()
  const person = await joinBroker(broker, ["room/out"])
  let number = 0
  return {
    name: "mqtt~one",
    counterpart: "real server",
    env: {MQTT_PASSWORD: passwords.bot},
    account: accountAt(broker, {payload: {format: "json"}}),
    isShared: true,
    say: (user, text) => person.say("room/in", JSON.stringify({text, user, id: ++number})),
    heard: () => person.textsOf("room/out").map(text => JSON.parse(text).text),
    judged: "not deleted, not muted",
  }
}

/** One mail thread between Ann and the bot, with a real Dovecot and a real SMTP server. */
export const emailPlace = async (): Promise<Place> => {
  const world = await startMailWorld()
  let number = 0
  return {
    name: "email~one",
    counterpart: "real server",
    env: {MAIL_PASSWORD: mailboxPassword},
    account: world.account({answers: {most: 200, minutes: 10}}),
    isShared: false,
    say: (_, text) => {
      const id = `thread-${++number}@people.test`
      const headers = number === 1 ? {} : {References: "<thread-1@people.test>"}
      world.write({id, headers, text, subject: "the team"})
    },
    heard: async () => (await world.sentTo("ann@people.test")).map(({text = ""}) => text),
    // A mail is a direct conversation, and the example moderates only channels with several members.
    judged: undefined,
  }
}
