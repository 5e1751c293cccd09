import type {Element} from "@xmpp/client"
import {expect, test} from "vitest"
import {until, usuallyOn} from "../../support/host/host.ts"
import {layCable} from "../../support/machine/cable.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {endpointsOf} from "../../support/platforms/endpoint.ts"
import {said, startXmppHost} from "../../support/platforms/xmpp/host.ts"
import {joinXmpp, type Person, xml} from "../../support/platforms/xmpp/person.ts"
import {startProsody} from "../../support/platforms/xmpp/prosody.ts"

const runtime = usuallyOn("node24")
const accounts = {bot: "bot-password", other: "other-password", ann: "ann-password", ben: "ben-password"}
const room = "team@rooms.localhost"
const bot = "bot@localhost"

const textOf = (message: Element) => message.getChild("body")?.getText() ?? ""
const idIn = (message: Element) => message.getChild("stanza-id", "urn:xmpp:sid:0")?.attrs.id ?? ""
const fromBot = (text: string) => (message: Element) =>
  /^bot@localhost|\/bot$/.test(message.attrs.from ?? "") && textOf(message) === text

const giveRights = (owner: Person, affiliation: string) => {
  const item = xml("item", {affiliation, jid: bot})
  return owner.ask("set", room, xml("query", {xmlns: "http://jabber.org/protocol/muc#admin"}, item))
}

describeWith("prosody")("a bot on XMPP", () => {
  test("answers in a direct chat, and handles edits, deletions, reactions and replies in both directions", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann})
    const host = await startXmppHost([{id: "main", service: `xmpp://127.0.0.1:${server.port}`}], {runtime})
    await host.untilState("xmpp~main", "online")

    const first = await ann.say(bot, "/greet Bob")
    const hello = await ann.sees("the answer", fromBot("hello Bob"))
    expect(hello.getChild("unstyled")).toBeDefined()
    expect(await host.receives("the message", ({message}) => message?.content === "/greet Bob")).toMatchObject({
      type: "message-created",
      channel: {id: "ann@localhost", type: 1},
      user: {id: "ann@localhost", account: "ann@localhost"},
      message: {id: first},
    })
    await ann.say(bot, "/greet Rob", said.correction(first))
    await host.receives("the edit", ({type, message}) => type === "message-updated" && message?.id === first)
    await ann.post(bot, said.reactions(hello.attrs.id ?? "", "👍"), said.store)
    await host.receives(
      "the reaction",
      ({type, message}) => type === "reaction-added" && message?.id === hello.attrs.id,
    )
    await ann.post(bot, said.reactions(hello.attrs.id ?? ""), said.store)
    await host.receives("the end of the reaction", ({type, emoji}) => type === "reaction-removed" && emoji?.id === "👍")
    await ann.post(bot, said.retraction(first), said.store)
    await host.receives("the deletion", ({type, message}) => type === "message-deleted" && message?.id === first)

    const asked = await ann.say(bot, "/answer")
    const answer = await ann.sees("the reply", fromBot("> /answer\n*yes*"))
    expect(answer.getChild("reply", "urn:xmpp:reply:0")?.attrs).toMatchObject({id: asked, to: ann.jid})
    expect(answer.getChild("fallback")?.getChild("body")?.attrs).toEqual({start: "0", end: "10"})
    expect(answer.getChild("unstyled")).toBeUndefined()
    await ann.say(bot, "/card")
    await ann.sees("the card", fromBot("- one\n- two <@43>\n*Build <7>*\nIt failed.\n*Branch:* main"))
    await ann.say(bot, "/raw")
    await ann.sees("the text without characters that XML forbids", fromBot("*a* <b/> &  ]]>"))

    const sent = await host.sends("xmpp~main", "ann@localhost", "to be changed")
    const message_id = (await ann.sees("the message", fromBot("to be changed"))).attrs.id
    expect(sent).toMatchObject({state: "sent", id: message_id})
    const act = (method: string, more: object) =>
      host.satori(bot, method, {channel_id: "ann@localhost", message_id, ...more}).then(({status}) => status)
    expect(await act("message.update", {content: "changed"})).toBe(200)
    const changed = await ann.sees("the edit", fromBot("changed"))
    expect(changed.getChild("replace", "urn:xmpp:message-correct:0")?.attrs.id).toBe(message_id)
    expect(await act("reaction.create", {emoji_id: "🎉"})).toBe(200)
    await ann.sees("the reaction", message => message.getChild("reactions")?.getChild("reaction")?.getText() === "🎉")
    expect(await act("message.delete", {})).toBe(200)
    await ann.sees("the deletion", message => message.getChild("retract")?.attrs.id === message_id)
    expect((await host.sends("xmpp~main", "nobody@localhost", "hi")).state).toBe("failed")
    expect((await host.sends("xmpp~main", "no address", "hi")).state).toBe("failed")
  })

  test("rejects forged server stanzas from others, and ignores copies of the bot's messages", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann})
    const cable = await layCable(server.port)
    const host = await startXmppHost([{id: "main", service: `xmpp://127.0.0.1:${cable.port}`}], {runtime})
    await host.untilState("xmpp~main", "online")
    const inner = xml(
      "message",
      {xmlns: "jabber:client", from: "admin@localhost/x", to: bot, type: "chat"},
      xml("body", {}, "/greet copy"),
    )
    const forwarded = () => xml("forwarded", {xmlns: "urn:xmpp:forward:0"}, inner)
    await ann.post(bot, xml("received", {xmlns: "urn:xmpp:carbons:2"}, forwarded()))
    await ann.post(bot, xml("result", {xmlns: "urn:xmpp:mam:2", id: "1", queryid: "1"}, forwarded()))
    const forged = xml("stanza-id", {xmlns: "urn:xmpp:sid:0", by: bot, id: "same"})
    await ann.say(bot, "one", forged)
    await ann.say(bot, "two", forged)
    await ann.say(bot, "secret", xml("encrypted", {xmlns: "eu.siacs.conversations.axolotl"}))
    const unreadable = async () =>
      (await endpointsOf(host)).flatMap(({unreadable = []}) => unreadable.map(({place}) => place))
    await until("the chat to be unreadable", async () => (await unreadable()).includes("ann@localhost"))
    // Another client of the bot's account. Messages to it are for the bot too, and its own messages count as the bot's.
    const twin = await joinXmpp(server, "bot", {password: accounts.bot})
    await ann.say(twin.jid, "for the other client")
    await twin.say("ann@localhost", "said by the other client")
    await ann.say(bot, "three")
    await host.receives("the last message", ({message}) => message?.content === "three")
    // A new connection reads the archive.
    cable.cut()
    cable.join(server.port)
    await ann.say(bot, "four")
    await host.receives("the message after the new connection", ({message}) => message?.content === "four")
    expect((await host.events()).map(({message}) => message?.content)).toEqual([
      "one",
      "two",
      "for the other client",
      "three",
      "four",
    ])
    expect(await unreadable()).toEqual([])
  })

  test("changes affiliations, roles and the subject of a room, and invites to it, by XMPP's own methods", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    const ben = await joinXmpp(server, "ben", {password: accounts.ben, room})
    const other = await joinXmpp(server, "other", {password: accounts.other})
    await giveRights(ann, "admin")
    const host = await startXmppHost([{id: "main", service: `xmpp://127.0.0.1:${server.port}`, rooms: [{jid: room}]}], {
      runtime,
    })
    await host.untilState("xmpp~main", "online")
    const call = async (method: string, params: object, way = "callNow") => {
      const asked = ann.stanzas.length
      await ann.say(bot, `/call ${way} ${method} '${JSON.stringify({room, ...params})}'`)
      const isAnswer = (each: Element) => each.is("message") && each.attrs.from?.startsWith(bot) && textOf(each) !== ""
      return until(`the answer to ${method}`, () => {
        const answer = ann.stanzas.slice(asked).find(({stanza}) => isAnswer(stanza))
        return answer && textOf(answer.stanza)
      })
    }
    expect(await call("setSubject", {subject: "Lunch"})).toBe("{}")
    await ben.sees("the subject", message => message.getChild("subject")?.getText() === "Lunch")
    expect(await call("invite", {jid: "other@localhost", reason: "Come"})).toBe("{}")
    const muc = "http://jabber.org/protocol/muc#user"
    await other.sees("the invitation", message => message.getChild("x", muc)?.getChild("invite") !== undefined)
    expect(await call("setAffiliation", {jid: "other@localhost", affiliation: "member"})).toBe("{}")
    expect(await call("listAffiliations", {affiliation: "member"}, "ask")).toContain('"jid":"other@localhost"')
    expect(await call("setRole", {nick: "ben", role: "none"})).toBe("{}")
    await until("ben to be out", () =>
      ben.stanzas.some(({stanza: {attrs}}) => attrs.from === `${room}/ben` && attrs.type === "unavailable"),
    )
    // An administrator must not change an owner, and the room is asked in vain.
    expect(await call("setAffiliation", {jid: "ann@localhost", affiliation: "outcast"})).not.toBe("{}")
    expect(await call("setSubject", {subject: "x", room: "none@rooms.localhost"})).not.toBe("{}")
  })

  test("answers to its nick in a room, sees members come and go, moderates and is moderated", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    await giveRights(ann, "admin")
    const service = `xmpp://127.0.0.1:${server.port}`
    const host = await startXmppHost([{id: "main", service, rooms: [{jid: room, nick: "bot"}]}], {runtime})
    await host.untilState("xmpp~main", "online")
    await ann.say(room, "bot: who")
    await ann.sees("the answer to who", fromBot(`ann@localhost as ${room}/ann`))
    const asked = await host.receives("the question", ({message}) => message?.content.endsWith(" who") === true)
    expect(asked.user?.roles).toEqual(["owner"])
    const ben = await joinXmpp(server, "ben", {password: accounts.ben, room})
    await host.receives(
      "ben's coming",
      ({type, user}) => type === "guild-member-added" && user?.account === "ben@localhost",
    )

    const spam = await ben.say(room, "buy this")
    const shown = await ann.sees("the message", message => message.attrs.id === spam)
    const deletion = {channel_id: room, message_id: idIn(shown)}
    const {user} = await host.receives("the message", ({message}) => message?.id === deletion.message_id)
    expect(user?.roles).toBeUndefined()
    expect((await host.satori(bot, "message.delete", deletion)).status).toBe(200)
    await ann.sees("the moderation", message => message.getChild("apply-to")?.attrs.id === deletion.message_id)
    await host.receives(
      "the moderation",
      ({type, message}) => type === "message-deleted" && message?.id === deletion.message_id,
    )
    expect((await host.satori(bot, "message.delete", deletion)).status).toBe(200)

    const mute = {guild_id: room, user_id: `${room}/ben`, duration: 1000}
    expect((await host.satori(bot, "guild.member.mute", mute)).status).toBe(200)
    await ann.ask("get", room, xml("query", {xmlns: "http://jabber.org/protocol/disco#info"}))
    expect((await host.satori(bot, "guild.member.kick", {guild_id: room, user_id: "ben@localhost"})).status).toBe(200)
    await host.receives("ben leaving", ({type, user}) => type === "guild-member-removed" && user?.id === `${room}/ben`)
    const owner = await host.satori(bot, "guild.member.kick", {guild_id: room, user_id: `${room}/ann`})
    expect(await owner.text()).toContain("not-allowed")

    await ann.say(`${room}/bot`, "/greet private")
    await ann.sees("the private answer", fromBot("hello private"))
    expect(await host.receives("the message", ({message}) => message?.content === "/greet private")).toMatchObject({
      channel: {id: `${room}/ann`, type: 1},
    })

    // After a kick, the bot rejoins and reads the messages that it missed.
    const kick = xml("item", {nick: "bot", role: "none"}, xml("reason", {}, "for a test"))
    await ann.ask("set", room, xml("query", {xmlns: "http://jabber.org/protocol/muc#admin"}, kick))
    await ann.say(room, "said while the bot is out")
    const missed = await host.receives(
      "the message that the bot missed",
      ({message}) => message?.content === "said while the bot is out",
    )
    // Somebody else may have had the nick then.
    expect(missed.user?.roles).toBeUndefined()
    expect(host.process.output()).toContain(`kicked from ${room}: for a test`)
  })

  test("loses and duplicates nothing when kill -9 interrupts incoming chat and room messages", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    const account = {id: "main", service: `xmpp://127.0.0.1:${server.port}`, rooms: [{jid: room}]}
    await ann.say(bot, "before the bot was ever there")
    let host = await startXmppHost([account], {own: true, runtime})
    const {project} = host
    const expected: string[] = []
    for (let kill = 0; kill < 3; kill++) {
      await host.untilState("xmpp~main", "online")
      for (let n = 0; n < 10; n++) {
        expected.push(`${kill}.${n} direct`, `${kill}.${n} room`)
        await ann.say(bot, `${kill}.${n} direct`)
        await ann.say(room, `${kill}.${n} room`)
        if (n === 3 + kill) await host.stop("SIGKILL")
      }
      host = await startXmppHost([account], {own: true, runtime, project})
    }
    await host.receives("the last message", ({message}) => message?.content === "2.9 direct")
    await host.receives("the last message", ({message}) => message?.content === "2.9 room")
    const events = (await host.events()).flatMap(({message}) => message?.content ?? [])
    expect([...events].sort()).toEqual([...expected].sort())
    for (const place of ["direct", "room"])
      expect(events.filter(text => text.endsWith(place))).toEqual(expected.filter(text => text.endsWith(place)))
  })

  test("leaves messages in the archive while ingress is paused, and receives them afterwards", async () => {
    const server = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    const account = {id: "main", service: `xmpp://127.0.0.1:${server.port}`, rooms: [{jid: room}]}
    const host = await startXmppHost([account], {runtime})
    await host.untilState("xmpp~main", "online")
    await host.post("/api/ingress/pause")
    const texts = Array.from({length: 60}, (_, n) => `line ${n}`)
    for (const text of texts) await ann.say(room, text)
    await until("the room to receive them", () => ann.stanzas.some(({stanza}) => textOf(stanza) === "line 59"))
    expect(await host.events()).toEqual([])
    await host.post("/api/ingress/resume")
    await host.receives("the last message", ({message}) => message?.content === "line 59")
    expect((await host.events()).map(({message}) => message?.content)).toEqual(texts)
  })

  test("continues at its place in the archive, or by time if the archive has lost that place", async () => {
    const server = await startProsody({accounts})
    const account = {id: "main", service: `xmpp://127.0.0.1:${server.port}`, rooms: [{jid: room}]}
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    await ann.say(room, "said before the bot was ever there")
    const host = await startXmppHost([account], {runtime})
    await host.untilState("xmpp~main", "online")
    await ann.say(room, "before")
    const {message} = await host.receives("the message", ({message}) => message?.content === "before")
    await host.stop()
    await ann.post(room, said.reactions(message?.id ?? "", "👍"), said.store)
    const then = await startXmppHost([account], {runtime, project: host.project})
    await then.receives("the reaction", ({type}) => type === "reaction-added")
    // When everybody has left a room, the server deletes the room and its archive.
    await then.stop()
    await ann.leave()
    const again = await joinXmpp(server, "ann", {password: accounts.ann, room})
    await again.say(room, "in another archive")
    await again.sees("the message", message => textOf(message) === "in another archive")
    const back = await startXmppHost([account], {runtime, project: host.project})
    await back.receives("the message", ({message}) => message?.content === "in another archive")
    expect(back.process.output()).toMatch(/\bthe bot's place\b/)
    expect((await back.events()).flatMap(({message, emoji}) => emoji?.id ?? message?.content ?? [])).toEqual([
      "before",
      "👍",
      "in another archive",
    ])
  })
})
