import {expect, test} from "vitest"
import {svc, until, usuallyOn} from "../../support/host/host.ts"
import {makeCertificate} from "../../support/irc/servers.ts"
import {layCable} from "../../support/machine/cable.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {env, startXmppHost} from "../../support/platforms/xmpp/host.ts"
import {joinXmpp} from "../../support/platforms/xmpp/person.ts"
import {startProsody} from "../../support/platforms/xmpp/prosody.ts"

const runtime = usuallyOn("node22")
const accounts = {bot: "bot-password", second: "bot-password", ann: "ann-password"}
const room = "team@rooms.localhost"

describeWith("prosody", "openssl")("a bot on XMPP when things go wrong", () => {
  test("checks the certificate, with STARTTLS and with direct TLS, and never continues without TLS", async () => {
    const tls = await makeCertificate()
    const server = await startProsody({accounts, tls})
    const plain = await startProsody({accounts})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann})
    const service = `xmpp://127.0.0.1:${server.port}`
    const secure = {tls: true}
    const endpoints = [
      {id: "starttls", ...secure, service},
      {id: "direct", ...secure, service: `xmpps://127.0.0.1:${server.tlsPort}`, jid: "second@localhost"},
      {id: "plain", ...secure, service: `xmpp://127.0.0.1:${plain.port}`},
    ]
    const trusting = await startXmppHost(endpoints, {runtime, env: {NODE_EXTRA_CA_CERTS: tls.cert}})
    for (const name of ["starttls", "direct"]) await trusting.untilState(`xmpp~${name}`, "online")
    expect((await trusting.untilState("xmpp~plain", "reconnecting")).error).toMatch(/\bno TLS\b/)
    await ann.say("second@localhost", "/greet TLS")
    await ann.sees("the answer", message => message.getChild("body")?.getText() === "hello TLS")
    await trusting.stop()

    const others = [
      {id: "strict", ...secure, service},
      {id: "lax", ...secure, service, verify: false, jid: "second@localhost"},
    ]
    const wary = await startXmppHost(others, {runtime})
    await wary.untilState("xmpp~lax", "online")
    expect((await wary.untilState("xmpp~strict", "reconnecting")).error).toMatch(/TLS: .*certificate/)
    expect(wary.process.output()).not.toContain(env.BOT_PASSWORD)
  })

  test("fails if another client takes its resource, and runs several accounts side by side", async () => {
    const server = await startProsody({accounts})
    const service = `xmpp://127.0.0.1:${server.port}`
    const host = await startXmppHost(
      [
        {id: "one", service},
        {id: "two", service, jid: "second@localhost"},
        {id: "wrong", service, resource: "other", password: "${OTHER_PASSWORD}"},
      ],
      {runtime},
    )
    for (const name of ["one", "two"]) await host.untilState(`xmpp~${name}`, "online")
    expect(await host.untilState("xmpp~wrong", "failed")).toMatchObject({
      reason: "credentials",
      remediation: expect.stringContaining("password"),
    })
    await (await startXmppHost([{id: "one", service}], {runtime})).untilState("xmpp~one", "online")
    expect(await host.untilState("xmpp~one", "reconnecting")).toMatchObject({
      reason: "conflict",
      remediation: expect.stringContaining("resource"),
    })
    expect((await host.sends("xmpp~two", "ann@localhost", "still here")).state).toBe("sent")
  })

  test("skips meaningless stanzas, and reconnects after invalid XML", async () => {
    const server = await startProsody({accounts})
    const cable = await layCable(server.port)
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    const account = {id: "main", service: `xmpp://127.0.0.1:${cable.port}`, rooms: [{jid: room}]}
    const host = await startXmppHost([account], {runtime})
    await host.untilState("xmpp~main", "online")
    const from = `from='${room}/eve'`
    const odd = [
      "<unknown/>",
      "<iq type='result' id='nobody-asked'/>",
      "<iq type='error'/>",
      "<presence/>",
      `<presence ${from} type='odd'/>`,
      `<message ${from} type='groupchat'/>`,
      `<message type='groupchat' from='${room}'><body/></message>`,
      "<message type='chat' from='x@y'><reactions xmlns='urn:xmpp:reactions:0' id=''><reaction/></reactions></message>",
      "<message type='chat' from='x@y'><reply xmlns='urn:xmpp:reply:0'/><retract xmlns='urn:xmpp:message-retract:1'/></message>",
      "<message type='error' from='x@y'/>",
      `<message type='chat' from='x@y/z' id='large'><body>${"x".repeat(300_000)}</body></message>`,
      `<message type='chat' from='x@y/z' id='huge'><subject>${"x".repeat(10_000_000)}</subject></message>`,
    ]
    for (const stanza of odd) cable.inject(stanza)
    await ann.say(room, "after odd stanzas")
    await host.receives("the message after the odd stanzas", ({message}) => message?.content === "after odd stanzas")
    expect((await host.untilState("xmpp~main", "online")).state).toBe("online")
    for (const broken of ["<message><body>", "<message from='@'/>"]) {
      cable.inject(broken)
      await ann.say(room, `after ${JSON.stringify(broken).replace(/[<>&"]/g, "")}`)
      cable.inject("</a></b>")
      await until("another connection", async () => cable.open === 1)
    }
    await ann.say(room, "the last")
    await host.receives("the last message", ({message}) => message?.content === "the last")
    const texts = (await host.events())
      .flatMap(({message}) => message?.content ?? [])
      .filter(text => text.startsWith("after"))
    expect(texts.length).toBe(3)
    expect((await host.fetch("/pub/live")).status).toBeLessThan(500)
  })

  test("reports a missing archive in its check and its log, and still receives live messages", async () => {
    const server = await startProsody({accounts, archives: false})
    const ann = await joinXmpp(server, "ann", {password: accounts.ann, room})
    const cable = await layCable(server.port)
    const account = {id: "main", service: `xmpp://127.0.0.1:${cable.port}`, rooms: [{jid: room}]}
    const host = await startXmppHost([account], {runtime})
    await host.untilState("xmpp~main", "online")
    expect(host.process.output()).toContain(` archive of ${room}`)
    await ann.say(room, "live")
    await host.receives("the live message", ({message}) => message?.content === "live")
    const repeated = ["one", "two", "two"]
    for (const text of repeated)
      cable.inject(`<message type='groupchat' from='${room}/eve' id='1'><body>${text}</body></message>`)
    await ann.say(room, "the last")
    await host.receives("the last message", ({message}) => message?.content === "the last")
    const said = (await host.events()).flatMap(({message}) => message?.content ?? [])
    expect(said).toEqual(["live", ...repeated, "the last"])
    const [message] = (await host.events()).filter(event => event.message !== undefined)
    const history = await host.satori("bot@localhost", "message.list", {
      channel_id: room,
      message_id: message?.message?.id,
    })
    expect(await history.text()).toContain("keeps no archive")
    const {code, stdout} = await svc(runtime, host.project, ["adapter", "check", "xmpp~main"], {env})
    expect(code).toBe(1)
    expect(stdout).toContain("credentials: logged in as bot@localhost, without TLS")
    expect(stdout).toMatch(/\bdirect chats\b/)
    expect(stdout).toContain("XEP-0313")
    expect(stdout).toContain("file upload: uploads.localhost, up to 1000000 bytes")
    // The check leaves the open connection alone.
    expect((await host.untilState("xmpp~main", "online")).state).toBe("online")
  })
})
