import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {inboxOf, usualRuntime as runtime, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeCertificate} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {messageIn, sendTo} from "../../support/messages/messages.ts"
import {letter} from "../../support/platforms/email/letter.ts"
import {
  type MailWorldOptions,
  startMailHost,
  startMailWorld,
  untilInbox,
  untilMail,
} from "../../support/platforms/email/world.ts"
import {endpointsOf} from "../../support/platforms/endpoint.ts"

const ann = "ann@people.test"

const connect = async (options: MailWorldOptions = {}, account: Readonly<Record<string, unknown>> = {}) => {
  const world = await startMailWorld(options)
  const host = await startMailHost([world.account(account)], {runtime})
  await untilMail(host, "online")
  return {world, host}
}

const send = (host: TestHost, text: string, channel = ann) => sendTo(host, "email~one", channel, text)

const textsOf = async (host: TestHost) =>
  (await inboxOf(host)).flatMap(({event}) => (event.message === undefined ? [] : [event.message.content]))

describeWith("dovecot")("the email adapter when things go wrong", () => {
  test("fetches new mail after the server renumbers the folder, and stores none twice", async () => {
    const {world, host} = await connect()
    const source = (text: string) => letter({text})
    // One mail has no Message-ID, so the adapter identifies it by its headers.
    const nameless = letter({text: "two"}).replace(/^Message-ID:.*\r\n/m, "Received: by mx.test; id 7\r\n")
    world.dovecot.deliver("bot", source("zero"), Date.now() - 86_400_000)
    for (const each of [source("one"), nameless]) world.dovecot.deliver("bot", each)
    await untilInbox(host, 3)
    await until("the mails to be marked", () => world.dovecot.mails("bot").every(({flags}) => flags.includes("S")))
    await world.dovecot.kill()
    await world.dovecot.renumber("bot")
    world.dovecot.deliver("bot", source("three"))
    await world.dovecot.start()
    await untilInbox(host, 4)
    world.dovecot.deliver("bot", source("four"))
    await untilInbox(host, 5)
    expect((await textsOf(host)).toSorted()).toEqual(["four", "one", "three", "two", "zero"])
    expect(host.process.output()).toMatch(/\brenumbered\b/)
  })

  test("ignores mail that is older than the account", async () => {
    const world = await startMailWorld()
    world.write({text: "old"})
    const host = await startMailHost([world.account()], {runtime})
    await untilMail(host, "online")
    world.write({text: "new"})
    await untilInbox(host, 1)
    expect(await textsOf(host)).toEqual(["new"])
    await until("the new mail to be marked", () => world.dovecot.mails("bot").some(({flags}) => flags.includes("S")))
    expect(world.dovecot.mails("bot").filter(({flags}) => flags.includes("S"))).toHaveLength(1)
  })

  test("stores automatic mail as internal events, and neither answers nor marks it", async () => {
    const {world, host} = await connect()
    world.write({text: "again and again", headers: {"Auto-Submitted": "auto-replied"}})
    world.write({text: "again and again", headers: {"List-Id": "<l.people.test>"}})
    world.write({text: "again and again", headers: {"Return-Path": "<>"}})
    world.write({text: "again and again", from: "bot@svc.test"})
    world.write({text: "/greet Ann"})
    await world.untilSent(ann, 1)
    expect((await inboxOf(host)).map(({type, event}) => [type, event._type, event.channel?.id === undefined])).toEqual([
      ["internal", "mail/automatic", true],
      ["internal", "mail/list", true],
      ["internal", "mail/bounce", true],
      ["message-created", "mail", false],
    ])
    expect(world.smtp.taken).toHaveLength(1)
    await until("one mail to be marked", () => world.dovecot.mails("bot").some(({flags}) => flags.includes("S")))
    expect(world.dovecot.mails("bot").filter(({flags}) => flags.includes("S"))).toHaveLength(1)
  })

  test("stops answering a machine that answers every mail", async () => {
    let rounds = 0
    const {world, host} = await connect(
      {
        // A machine that does not mark its mail as automatic, and starts a new thread for each answer.
        pass: mail => {
          rounds++
          world.write({text: "again and again", subject: `round ${rounds}`, from: mail.to[0] ?? ""})
        },
      },
      {answers: {most: 3, minutes: 10}},
    )
    world.write({text: "again and again", from: "loop@machine.test"})
    const failed = await until("a refused answer", async () => {
      const {items} = await host.get("/api/outbox", {state: "failed"})
      return items[0]
    })
    expect(failed).toMatchObject({reason: "loop_suspected", error: "loop@machine.test got 3 answers within 10 minutes"})
    expect(rounds).toBe(3)
    const id = await send(host, "to somebody else", `${ann}/0123456789abcdef`)
    await messageIn(host, id, "sent")
  })

  test("stores malformed mail of every kind, and answers the next mail", async () => {
    const {world, host} = await connect()
    const head = `From: ${ann}\r\nSubject: junk\r\nMIME-Version: 1.0\r\n`
    const named = (type: string) => `${head}Message-ID: <${type}@people.test>\r\n`
    const multipart = "Content-Type: multipart/mixed; boundary=x\r\n\r\n"
    const deep = Array.from({length: 200}, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`)
    const junk: readonly (string | Buffer)[] = [
      `${named("big")}\r\n${"0123456789\r\n".repeat(850_000)}`,
      `${named("parts")}${multipart}${Array.from({length: 1000}, (_, n) => `--x\r\nContent-Type: text/plain\r\n\r\npart ${n}\r\n`).join("")}--x--`,
      `${named("deep")}${deep.join("")}Content-Type: text/plain\r\n\r\ndeep\r\n`,
      Buffer.from(`${named("charset")}Content-Type: text/plain; charset=nonsense-9\r\n\r\nth\xe9re`, "latin1"),
      Buffer.from(`${named("utf")}Content-Type: text/plain; charset=utf-8\r\n\r\n\xff\xfe\x00broken`, "latin1"),
      `${named("boundary")}Content-Type: multipart/alternative; boundary="\r\n\r\n--"\r\nnothing`,
      `${named("encoding")}Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n$$$ not base64 $$$`,
      `${named("lines")}Subject: ${"x".repeat(100_000)}\r\n\r\nlong header`,
      `From: undisclosed\r\n\r\nno sender`,
      "\r\n",
      Buffer.from([0, 255, 254, 10, 13, 0]),
    ]
    for (const each of junk) world.dovecot.deliver("bot", each)
    world.write({text: "/greet Ann"})
    await world.untilSent(ann, 1)
    const messages = (await inboxOf(host)).map(({event}) => event.message)
    const contentOf = (id: string) =>
      messages.find(message => message?.id === `${id}@people.test`)?.content ?? "missing"
    expect([contentOf("big").slice(0, 11), contentOf("big").slice(-2)]).toEqual(["0123456789\n", "\n…"])
    expect(contentOf("big").length).toBeLessThan(300_000)
    expect(contentOf("parts").slice(0, 15)).toBe("part 0\n\npart 1\n")
    expect([contentOf("deep"), contentOf("charset"), contentOf("boundary")]).not.toContain("missing")
    expect(contentOf("charset")).toContain("th")
    expect(contentOf("utf")).toContain("broken")
    expect(contentOf("lines")).not.toBe("missing")
  })

  test("leaves mail on the server while ingress is paused, and marks it only once it is stored", async () => {
    const {world, host} = await connect()
    expect((await svc(runtime, host.project, ["ingress", "pause"])).code).toBe(0)
    world.write({text: "/greet Ann", id: "paused@people.test"})
    await until("it to close its admission", async () => (await endpointsOf(host))[0]?.admission === "closed")
    expect(await inboxOf(host)).toEqual([])
    expect(world.dovecot.mails("bot")[0]?.flags).toBe("")
    expect((await svc(runtime, host.project, ["ingress", "resume"])).code).toBe(0)
    await world.untilSent(ann, 1)
    await until("the mail to be marked", () => world.dovecot.mails("bot")[0]?.flags.includes("S"))
    expect(await inboxOf(host)).toHaveLength(1)
  })

  test("uses STARTTLS with a trusted certificate, and refuses an untrusted one", async () => {
    const {cert, key} = await makeCertificate()
    const world = await startMailWorld({
      dovecot: `ssl = yes\nssl_cert = <${cert}\nssl_key = <${key}`,
      more: {cert: readFileSync(cert), key: readFileSync(key), disabledCommands: []},
    })
    const safely = (which: "imap" | "smtp") => ({...(world.account()[which] as object), tls: "starttls"})
    const account = world.account({imap: safely("imap"), smtp: safely("smtp")})
    const host = await startMailHost([account], {runtime, env: {NODE_EXTRA_CA_CERTS: cert}})
    await untilMail(host, "online")
    world.write({text: "/greet Ann"})
    await world.untilSent(ann, 1)
    await host.stop()
    const other = await startMailHost([account], {runtime})
    expect((await untilMail(other, "reconnecting")).error).toMatch(/self.signed certificate/i)
  })

  test("ends or retries a mail according to the server's reply code", async () => {
    const {world, host} = await connect({size: 100_000})
    world.smtp.refuseNext({stage: "to", code: 550, text: "5.1.1 no such user"})
    const nobody = await send(host, "x", "nobody@people.test")
    expect(await messageIn(host, nobody, "failed")).toMatchObject({
      reason: "recipient_refused",
      error: expect.stringContaining("550 5.1.1 no such user"),
    })
    world.smtp.refuseNext({stage: "data", code: 451, text: "4.7.1 try again in 1 second"})
    const later = await send(host, "later")
    await messageIn(host, later, "sent")
    const large = await send(host, "x".repeat(50_000))
    expect(await messageIn(host, large, "failed")).toMatchObject({reason: "too_large"})
    const none = await send(host, "x", "#room")
    expect(await messageIn(host, none, "failed")).toMatchObject({reason: "target_invalid"})
    expect((await world.sentTo(ann)).map(({text}) => text)).toEqual(["later"])

    // The server now refuses the login. The endpoint waits, and so does the mail.
    world.smtp.lock(true)
    const waiting = await send(host, "waits")
    const refused = await untilMail(host, "reconnecting")
    expect(refused).toMatchObject({reason: "credentials", remediation: expect.stringContaining("smtp.password")})
    expect(JSON.stringify(refused)).not.toContain("the-right-one-for-mail")
    world.smtp.lock(false)
    expect((await svc(runtime, host.project, ["runtime", "reload"])).code).toBe(0)
    await messageIn(host, waiting, "sent")
  })
})
