import {expect, test} from "vitest"
import {threadOf} from "../../../server/adapters/email/mailbox/ids.ts"
import {makeReader} from "../../support/docs/documented-commands.ts"
import {inboxOf, svc, until, usuallyOn} from "../../support/host/host.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {letter} from "../../support/platforms/email/letter.ts"
import {startMailHost, startMailWorld, untilInbox, untilMail} from "../../support/platforms/email/world.ts"

const runtime = usuallyOn("node22")
const ann = "ann@people.test"

describeWith("dovecot")("the email adapter with a real Dovecot and a real SMTP server", () => {
  test("answers in the thread, to the sender only, and recognizes the thread after a restart", async () => {
    const world = await startMailWorld()
    const host = await startMailHost([world.account()], {runtime})
    await untilMail(host, "online")
    world.write({
      text: "/greet Bob\n-- \nAnn",
      subject: "a question",
      id: "q1@people.test",
      headers: {Cc: "carl@people.test"},
    })
    const [first] = await world.untilSent(ann, 1)
    const own = String(first?.messageId)
    expect(own).toMatch(/^<svc\.[\w-]+\.t[0-9a-f]{16}@svc\.test>$/)
    expect(first).toMatchObject({
      from: {text: '"Bot" <bot@svc.test>'},
      to: {text: ann},
      subject: "Re: a question",
      inReplyTo: "<q1@people.test>",
      references: "<q1@people.test>",
      text: "hello Bob",
      html: "hello <b>Bob</b>",
    })
    expect([first?.cc, first?.bcc]).toEqual([undefined, undefined])
    expect(first?.headers.get("auto-submitted")).toBe("auto-replied")
    await until("the mail to be marked", () => world.dovecot.mails("bot").every(({flags}) => flags.includes("S")))
    const [{event} = {event: {}}] = await inboxOf(host)
    const channel = `${ann}/${threadOf("q1@people.test")}`
    expect(event).toMatchObject({
      channel: {id: channel, type: 1, name: "a question"},
      user: {id: ann, name: "Ann"},
      message: {id: "q1@people.test", content: "/greet Bob"},
    })

    // A full round trip: the bot's mail is in Ann's mailbox, and her mail program replies to it.
    expect(world.dovecot.mails("ann")[0]?.source).toContain(own)
    const answer = {subject: "RE: a question", headers: {"In-Reply-To": own, References: own}}
    world.write({text: "/ask\n\nOn Monday, Bot wrote:\n> hello Bob", ...answer})
    await world.untilSent(ann, 2)

    await host.stop()
    const again = await startMailHost([world.account()], {runtime, project: host.project})
    await untilMail(again, "online")
    const {id} = await again.post("/api/outbox", {body: {endpoint: "email~one", channel, text: "by the way"}})
    world.write({text: "42", id: "q3@people.test", ...answer})
    const [, , third, fourth] = await world.untilSent(ann, 4)
    expect([third?.text, fourth?.text]).toEqual(["by the way", "you are 42"])
    expect(third?.subject).toBe("RE: a question")
    expect(third?.references).toContain(own)
    expect(third?.messageId).toBe(`<svc.${id}.t${threadOf("q1@people.test")}@svc.test>`)
    expect(fourth?.inReplyTo).toBe("<q3@people.test>")
    expect(new Set((await inboxOf(again)).map(each => each.event.channel?.id))).toEqual(new Set([channel]))
    const [, second] = await inboxOf(again)
    expect(second?.event.message?.content).toBe(`<quote id="${own.slice(1, -1)}"/>/ask`)
  })

  test("sends a new mail with the command from the page", async () => {
    const world = await startMailWorld()
    const host = await startMailHost([world.account({id: "support"})], {runtime})
    await untilMail(host, "online", "support")
    const reader = makeReader(host.project, runtime, () => ({"ann@example.org": ann}))
    await reader.run("docs/adapters/email.md", "Channels and users")
    const [sent] = await world.untilSent(ann, 1)
    expect(sent?.text).toBe("The build is green.")
  })

  test("receives and sends files, embeds pictures in the HTML, and keeps the files of a moved mail", async () => {
    const world = await startMailWorld()
    const host = await startMailHost([world.account({moveTo: "Done"})], {runtime})
    await untilMail(host, "online")
    const bytes = Uint8Array.from({length: 70_000}, (_, n) => n % 251)
    world.write({
      html: 'weigh<img src="cid:logo">',
      files: [
        {name: "logo.png", type: "image/png", bytes: bytes.subarray(0, 10), cid: "logo"},
        {name: "data.bin", type: "application/octet-stream", bytes},
      ],
    })
    const [weighed] = await world.untilSent(ann, 1)
    expect(weighed?.text).toBe("img logo.png 10, file data.bin 70000")
    await until("the mail to be moved", () => world.dovecot.mails("bot", "Done").length === 1)
    expect(world.dovecot.mails("bot")).toEqual([])
    const login = "email/bot%40svc.test"
    const answer = await host.fetch(`/satori/v1/proxy/internal:${login}/_svc/events/1/1/data.bin`)
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 70_000])

    world.write({text: "/picture"})
    const [, picture] = await world.untilSent(ann, 2)
    expect(picture?.text).toBe("look")
    expect(picture?.attachments).toMatchObject([{filename: "a.png", contentType: "image/png", related: true, size: 4}])
  })

  test("runs two accounts, one without IDLE, starts mail to an address, and identifies senders", async () => {
    const world = await startMailWorld({dovecot: "imap_capability = IMAP4rev1 LITERAL+ UIDPLUS"})
    const second = {user: "second", password: "${MAIL_PASSWORD}"}
    const accounts = [
      world.account({poll: 1, trusted: "mx.svc.test"}),
      world.account({
        id: "two",
        address: "second@svc.test",
        poll: 1,
        imap: {...(world.account().imap as object), ...second},
        allow: ["@people.test"],
      }),
    ]
    const host = await startMailHost(accounts, {runtime})
    await untilMail(host, "online")
    await untilMail(host, "online", "two")
    const results = "mx.svc.test; dmarc=pass header.from=people.test"
    world.write({text: "/who", headers: {"Authentication-Results": results}})
    await world.untilSent(ann, 1)
    world.write({text: "/who", headers: {"Authentication-Results": results.replace("pass", "fail")}})
    expect((await world.untilSent(ann, 2)).map(({text}) => text)).toEqual([`${ann} ${ann}`, `${ann} unknown`])

    world.dovecot.deliver("second", letter({from: "eve@evil.test", text: "/greet Eve"}))
    world.dovecot.deliver("second", letter({from: "bob@people.test", text: "", subject: "/greet Bob"}))
    const [toBob] = await world.untilSent("bob@people.test", 1)
    expect(toBob).toMatchObject({text: "hello Bob", from: {value: [{address: "second@svc.test"}]}})
    expect(await world.sentTo("eve@evil.test")).toEqual([])

    await host.post("/api/outbox", {
      body: {endpoint: "email~two", channel: "Carl@people.test", text: "hello Carl\nand more"},
    })
    const [toCarl] = await world.untilSent("carl@people.test", 1)
    expect(toCarl).toMatchObject({subject: "hello Carl and more", text: "hello Carl\nand more"})
    expect([toCarl?.inReplyTo, toCarl?.references]).toEqual([undefined, undefined])
    expect(toCarl?.headers.get("auto-submitted")).toBe("auto-generated")
  })

  test("adds no headers for line breaks in subjects and names, and keeps text as text", async () => {
    const world = await startMailWorld()
    const name = 'Bot, "the" <x@y.test>'
    await untilMail(await startMailHost([world.account({name})], {runtime}), "online")
    const subject = "=?utf-8?q?a=0D=0ABcc:_eve@people.test?="
    world.write({text: "/inject", subject, from: "=?utf-8?q?Ann=0D=0ABcc=3A_eve=40people.test?= <ann@people.test>"})
    const [mail] = await world.untilSent(ann, 1)
    expect(world.smtp.taken.flatMap(({to}) => to)).toEqual([ann])
    expect(mail).toMatchObject({
      subject: "Re: a Bcc: eve@people.test",
      from: {value: [{address: "bot@svc.test", name}]},
      text: "x\n.\nBcc: eve@people.test\n\n<b>y</b>",
      html: false,
    })
    world.write({text: "/card", subject: "a card"})
    const [, card] = await world.untilSent(ann, 2)
    expect(card?.text).toBe("- one\n- two <@43>\nBuild <7>\nIt failed.\nBranch: main")
    expect(card?.html).toMatch(/^<ul><li>one<\/li><li>two &lt;@43&gt;<\/li><\/ul><table.*Build &lt;7&gt;.*<\/table>$/s)
  })

  test("svc adapter check lists what works, and how to fix the rest", async () => {
    const world = await startMailWorld()
    const wrong = {...(world.account().smtp as object), password: "${WRONG_PASSWORD}"}
    const accounts = [
      world.account({moveTo: "Done", trusted: "mx.svc.test"}),
      world.account({id: "wrong", smtp: wrong}),
      world.account({id: "lost", folder: "Nowhere"}),
    ]
    world.write({text: "x", headers: {"Authentication-Results": "mx.other.test; dmarc=pass"}})
    const host = await startMailHost(accounts, {runtime})
    await untilMail(host, "online")
    const check = async (id: string) => (await svc(runtime, host.project, ["adapter", "check", `email~${id}`])).stdout
    const one = await check("one")
    for (const line of [
      "ok      login for reading: bot at 127.0.0.1",
      "ok      new mail: ",
      "ok      folder INBOX: 1 mails",
      "ERROR   authentication of senders: ",
      " mx.other.test",
      "ok      login for sending: bot at 127.0.0.1",
    ])
      expect(one).toContain(line)
    expect(await check("wrong")).toMatch(/ERROR {3}login for sending: .*535.*do: Correct smtp\.user/s)
    expect(await check("lost")).toMatch(/ERROR {3}folder Nowhere: .*do: Correct the folder/s)
    expect(world.smtp.taken).toEqual([])
    expect(world.dovecot.mails("bot").map(({flags}) => flags)).not.toContain("S")
    expect((await untilMail(host, "failed", "lost")).reason).toBe("folder_unknown")
    expect(await untilInbox(host, 0)).toEqual([])
  })
})
