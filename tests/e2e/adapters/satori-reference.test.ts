import {describe, expect, test} from "vitest"
import {makeProject, posting, startHost, svc, until, untilPrinted, usualRuntime} from "../../support/host/host.ts"
import {holdPort} from "../../support/machine/ports.ts"
import {untilGaps} from "../../support/messages/gaps.ts"
import {eventsOf, textsBy} from "../../support/messages/inbox.ts"
import {messageIn} from "../../support/messages/messages.ts"
import {untilState} from "../../support/platforms/endpoint.ts"
import {reference, referenceToken, startReference} from "../../support/platforms/satori/reference.ts"

const env = {SATORI_TOKEN: referenceToken, WRONG_TOKEN: "another-token-than-the-server-has"}
const token = "${SATORI_TOKEN}"

/** A Host with these accounts, connected to a new reference server. */
const setUp = async (accounts: readonly object[], own = false) => {
  const {port, release} = await holdPort()
  await release()
  const server = await startReference(port)
  const url = `http://127.0.0.1:${port}/satori`
  const endpoints = accounts.map(account => ({url, token, ...account}))
  const project = makeProject({config: JSON.stringify({http: {port: 0}, plugins: {satori: {endpoints}}})})
  const start = () => startHost({own, runtime: usualRuntime, project, env})
  return {port, server, project, start, host: await start()}
}

const online = (host: Awaited<ReturnType<typeof startHost>>, ...ids: readonly string[]) =>
  Promise.all(ids.map(id => untilState(host, `satori~${id}`, "online")))

const one = {id: "one", platform: "testing", user: "one"}

describe.skipIf(!reference.install())("satori on the reference server, with the names of the first drafts", () => {
  test("receives each login's events of every kind on its own account, and acts as that login", async () => {
    const {server, host} = await setUp([one, {id: "two", platform: "testing", user: "two"}])
    await online(host, "one", "two")
    await server.say("m1", 'hello &amp; <at id="one"/>')
    await server.say("m2", "for two", {bot: "two", user: {id: "eve"}})
    await server.say("m3", "an echo of the bot itself", {user: {id: "one"}})
    await server.tell({type: "message-updated", ...where, message: {id: "m1", content: "hello again"}})
    await server.tell({type: "reaction-added", ...where, message: {id: "m1", content: ""}, emoji: {id: "👍"}})
    await server.tell({type: "a-type-of-tomorrow", ...where})
    await server.tell({type: "message-deleted", ...where, message: {id: "m1", content: ""}})
    await server.tell({type: "guild-member-added", guild: {id: "g"}, user: {id: "bob"}, member: {nick: "Bobby"}})
    const stored = await until("the last event", async () => {
      const events = await eventsOf(host, "satori~one")
      return events.at(-1)?.type === "guild-member-added" && events
    })
    expect(stored.map(({type}) => type)).toEqual([
      "message-created",
      "message-updated",
      "reaction-added",
      "message-deleted",
      "guild-member-added",
    ])
    expect(stored[0]).toMatchObject({
      channel: {id: "hall", type: 0},
      user: {id: "ann"},
      message: {id: "m1", content: 'hello &amp; <at id="one"/>'},
      login: {platform: "testing"},
    })
    expect(stored[2]?.emoji).toEqual({id: "👍"})
    expect(stored[4]?.user).toEqual({id: "bob", nick: "Bobby"})
    expect(await textsBy(host, "satori~two")).toEqual(["for two"])

    const text = 'hostile <b>markup</b> & "quotes"'
    const {id} = await host.post("/api/outbox", {body: {endpoint: "satori~one", channel: "hall", text}})
    await messageIn(host, id, "sent")
    const ask = (method: string, body: object) =>
      host.fetch(`/satori/v1/${method}`, posting(body, {"satori-platform": "testing", "satori-user-id": "one"}))
    const target = {channel_id: "hall", message_id: id}
    expect((await ask("message.update", {...target, content: "better"})).status).toBe(200)
    expect((await ask("reaction.create", {...target, emoji_id: "👍"})).status).toBe(200)
    expect((await ask("guild.member.mute", {guild_id: "g", user_id: "eve", duration: 60_000})).status).toBe(200)
    expect(await (await ask("user.channel.create", {user_id: "ann"})).json()).toEqual({id: "private:ann", type: 1})
    expect((await ask("message.delete", target)).status).toBe(200)
    await until("the reaction", () => server.deeds().length === 5)
    const message = "reference-1"
    expect(server.deeds().toSorted((a, b) => a.did.localeCompare(b.did))).toEqual([
      {
        did: "createMessage",
        channel: "hall",
        content: "hostile &lt;b&gt;markup&lt;/b&gt; &amp; &quot;quotes&quot;",
        id: message,
      },
      {did: "createReaction", channel: "hall", message, emoji: "👍"},
      {did: "deleteMessage", channel: "hall", message},
      {did: "editMessage", channel: "hall", message, content: "better"},
      {did: "muteGuildMember", guild: "g", user: "eve", duration: 60_000},
    ])
  })

  test("lists a gap for a Host that was killed, and handles a restart of the server's event count", async () => {
    const {port, server, host, start} = await setUp([one], true)
    await online(host, "one")
    for (const n of [1, 2, 3]) await server.say(`before-${n}`, `before ${n}`)
    await until("all messages", async () => (await textsBy(host, "satori~one")).length === 3)
    await host.stop("SIGKILL")
    await server.say("away", "lost")
    const next = await start()
    // This release of the server has a buffer for missed events but never fills it. Its bot has no history.
    expect(await untilGaps(next, 1)).toMatchObject([{reason: "host_ended", backfill: "partly"}])
    await server.say("after", "after")
    await until("the message after the restart", async () => (await textsBy(next, "satori~one")).length === 4)
    const said = ["before 1", "before 2", "before 3", "after"]
    expect(await textsBy(next, "satori~one")).toEqual(said)

    server.process.child.kill("SIGKILL")
    await server.process.finished
    await untilState(next, "satori~one", "reconnecting")
    const again = await startReference(port)
    await online(next, "one")
    // The server uses old message ids in another channel, and lower event numbers.
    await again.say("before-1", "in another channel", {channel: {id: "den", type: 0}})
    await until("the new event", async () => (await textsBy(next, "satori~one")).length === 5)
    expect(await textsBy(next, "satori~one")).toEqual([...said, "in another channel"])
    await untilPrinted(next.process, /\bevent numbers\b/)
  })

  test("takes its endpoint offline with its login, and online again", async () => {
    const {server, host} = await setUp([one])
    await online(host, "one")
    await server.tell({status: 0})
    const {error} = await untilState(host, "satori~one", "reconnecting")
    expect(error).toMatch(/\btesting one .*\(status 0\)$/)
    await server.tell({status: 1})
    await online(host, "one")
    await server.say("m1", "back")
    await until("the message after the reconnect", async () => (await textsBy(host, "satori~one")).includes("back"))
  })

  test("explains an ambiguous account, an account that matches no login, and a wrong token", async () => {
    const {host, project} = await setUp([
      {id: "any"},
      {id: "none", user: "three"},
      {...one, id: "wrong", token: "${WRONG_TOKEN}"},
    ])
    expect(await untilState(host, "satori~any", "failed")).toMatchObject({
      reason: "login_ambiguous",
      error: expect.stringMatching(/: testing one, testing two$/),
      remediation: expect.stringMatching(/\bplatform and user\b/),
    })
    expect(await untilState(host, "satori~wrong", "failed")).toMatchObject({
      reason: "credentials",
      error: expect.stringMatching(/: invalid token \(4004\)$/),
    })
    const {error} = await untilState(host, "satori~none", "reconnecting")
    expect(error).toMatch(/\blogin three; .*: testing one, testing two$/)
    expect(await svc(usualRuntime, project, ["adapter", "check", "satori~any"], {env})).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^ERROR {3}login: .*: testing one, testing two$/m),
    })
  })
})

const where = {channel: {id: "hall", type: 0}, user: {id: "ann"}}
