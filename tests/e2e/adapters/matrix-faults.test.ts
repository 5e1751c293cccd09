import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {type HostOptions, shared, svc, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {messageIn, sendTo} from "../../support/messages/messages.ts"
import {describeWithDendrite, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {openGate} from "../../support/platforms/matrix/gate.ts"
import {eventsOf, startMatrixHost, untilEndpoint} from "../../support/platforms/matrix/host.ts"
import {Person} from "../../support/platforms/matrix/person.ts"

const runtime = usuallyOn("node22")

const textsOf = async (host: TestHost, room: string) =>
  (await eventsOf(host, room)).filter(({type}) => type === "message-created").map(({message}) => message?.content)

describeWithDendrite("a bot on Matrix when things go wrong", () => {
  const homeserver = shared(startDendrite)
  const openGateHere = () => openGate(homeserver().url)
  const makeRoom = async () => {
    const [bot, ann] = await Promise.all([Person.register(homeserver(), "bot"), Person.register(homeserver(), "ann")])
    const room = await ann.createRoom({preset: "public_chat"})
    await ann.say(room, "before the bot came")
    await bot.join(room)
    return {bot, ann, room}
  }
  /** Starts a Host with the bot's account at this address of the homeserver. Resolves once it is online. */
  const startBot = async ({token}: Person, homeserver: string, more: HostOptions = {}) => {
    const account = {id: "main", homeserver, accessToken: "${BOT_TOKEN}"}
    const host = await startMatrixHost([account], {runtime, env: {BOT_TOKEN: token}, ...more})
    await untilEndpoint(host, "main", "online")
    return host
  }

  test("fetches all messages in order after a kill, even though a sync shows fewer", async () => {
    const {bot, ann, room} = await makeRoom()
    const first = await startBot(bot, homeserver().url, {own: true})
    await ann.say(room, "online")
    await until("the message", async () => (await textsOf(first, room)).length > 0)
    await first.stop("SIGKILL")
    const said = Array.from({length: 170}, (_, n) => `missed ${n}`)
    for (const text of said) await ann.say(room, text)
    const host = await startBot(bot, homeserver().url, {project: first.project})
    const all = ["online", ...said]
    await until("all messages", async () => (await textsOf(host, room)).length >= all.length)
    expect(await textsOf(host, room)).toEqual(all)
  })

  test("sends a message once when its response was lost and the Host was killed", async () => {
    const {bot, ann, room} = await makeRoom()
    const gate = await openGateHere()
    const first = await startBot(bot, gate.url, {own: true})
    gate.swallowNext(/^PUT .*\/send\//)
    const id = await sendTo(first, "matrix~main", room, "once")
    await until("the message at the homeserver", async () => (await ann.heard(room, bot.id)).length > 0)
    await first.stop("SIGKILL")
    const host = await startBot(bot, gate.url, {project: first.project})
    await messageIn(host, id, "sent")
    expect((await ann.heard(room, bot.id)).map(({body}) => body)).toEqual(["once"])
    expect(gate.asked.filter(({method, path}) => method === "PUT" && path.includes("/send/")).length).toBeGreaterThan(1)
  })

  test("acknowledges nothing while ingress is paused, and loses nothing afterwards", async () => {
    const {bot, ann, room} = await makeRoom()
    const gate = await openGateHere()
    const host = await startBot(bot, gate.url)
    const receipts = () => gate.asked.filter(({path}) => path.includes("/receipt/")).length
    const syncs = () => gate.asked.filter(({path}) => path.endsWith("/sync")).length
    expect((await svc(runtime, host.project, ["ingress", "pause"])).code).toBe(0)
    const before = syncs()
    await ann.say(room, "one")
    await sleep(1500)
    await ann.say(room, "two")
    expect([await textsOf(host, room), receipts(), syncs() - before]).toEqual([[], 0, 0])
    expect((await svc(runtime, host.project, ["ingress", "resume"])).code).toBe(0)
    await until("both messages", async () => (await textsOf(host, room)).length === 2)
    expect(await textsOf(host, room)).toEqual(["one", "two"])
    await until("the read receipts", () => receipts() > 0)
  })

  test("loses no message through malformed syncs, and keeps to rate limits", async () => {
    const {bot, ann, room} = await makeRoom()
    const gate = await openGateHere()
    const host = await startBot(bot, gate.url)
    const sync = /^GET .*\/sync$/
    const event = (more: object) => ({event_id: "$x", type: "m.room.message", sender: ann.id, content: {}, ...more})
    const strange = [
      null,
      7,
      event({content: {msgtype: 7, body: {}}}),
      event({type: "m.room.message", content: {msgtype: "m.text", body: ["a"]}}),
      event({event_id: "$y", type: "org.example.unknown"}),
      event({event_id: "$z", type: "m.room.member", state_key: 9}),
      event({event_id: "$r", type: "m.room.redaction"}),
      event({event_id: "$e", content: {"m.relates_to": {rel_type: "m.replace"}, "m.new_content": 1}}),
      event({event_id: "$\ud800\0", content: {msgtype: "m.text", body: "odd \ud800\0"}, origin_server_ts: 1e300}),
    ]
    const {next_batch} = await bot.sync()
    const batch = (events: readonly unknown[]) => ({
      next_batch,
      rooms: {join: {[room]: {timeline: {events}}, "!other:x": 5}, invite: [], leave: {a: null}},
      account_data: {events: [{type: "m.direct", content: 3}]},
    })
    const junk = [
      [200, '{"next_batch": "s1'],
      [502, `<html>${"x".repeat(10_000_000)}</html>`],
      [429, JSON.stringify({errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 300})],
      [200, JSON.stringify(batch(strange))],
    ] as const
    for (const [n, [status, body]] of junk.entries()) {
      const asked = gate.asked.length
      gate.answerNext(sync, status, body)
      // Ends the current long poll.
      await ann.say(room, `tick ${n}`)
      await until("the malformed sync to be requested", () => gate.asked.length > asked)
      await until("the message", async () => (await textsOf(host, room)).includes(`tick ${n}`))
    }
    await ann.say(room, "still there")
    await until("the message after the malformed syncs", async () =>
      (await textsOf(host, room)).includes("still there"),
    )
    expect(host.process.output()).not.toContain(bot.token)
  })

  test("reconnects with a hint when its token is revoked while the bot runs", async () => {
    const {bot} = await makeRoom()
    const env = {BOT_TOKEN: bot.token}
    const account = {id: "main", homeserver: homeserver().url, accessToken: "${BOT_TOKEN}"}
    const host = await startMatrixHost([account, {...account, id: "none", accessToken: undefined}], {runtime, env})
    await untilEndpoint(host, "main", "online")
    expect(await untilEndpoint(host, "none", "failed")).toMatchObject({reason: "credentials"})
    await bot.ask("POST", "/client/v3/logout", {})
    const failed = await untilEndpoint(host, "main", "reconnecting")
    expect(failed).toMatchObject({reason: "credentials", remediation: expect.stringContaining("new access token")})
    expect(JSON.stringify(failed) + host.process.output()).not.toContain(bot.token)
  })

  test("logs several accounts in with passwords, and reuses each account's device", async () => {
    const {bot, ann, room} = await makeRoom()
    const other = await Person.register(homeserver(), "other")
    const env = {PASSWORD: bot.password, WRONG: "wrong-password"}
    const gate = await openGateHere()
    const account = {id: "main", homeserver: gate.url, user: bot.id, password: "${PASSWORD}"}
    const host = await startMatrixHost(
      [account, {...account, id: "two", user: other.id, join: [room]}, {...account, id: "wrong", password: "${WRONG}"}],
      {runtime, env},
    )
    await untilEndpoint(host, "main", "online")
    await untilEndpoint(host, "two", "online")
    expect(await untilEndpoint(host, "wrong", "failed")).toMatchObject({reason: "credentials"})
    expect(await svc(runtime, host.project, ["adapter", "check", "matrix~main"])).toMatchObject({code: 0})
    const logins = () => gate.asked.filter(({path}) => path.endsWith("/login")).length
    const before = logins()
    gate.cut()
    await ann.say(room, "!greet both")
    await until("an answer of each account", async () => {
      const heard = [...(await ann.heard(room, bot.id)), ...(await ann.heard(room, other.id))]
      return heard.length === 2 && heard.every(({body}) => body === "hello both")
    })
    expect(logins()).toBe(before)
    const {devices} = await bot.ask("GET", "/client/v3/devices")
    expect(devices.map(({device_id}: {device_id: string}) => device_id)).toContain("svc-matrix~main")
    expect(devices).toHaveLength(2)
  })

  test("accepts invitations if the account allows them, and answers the first message of a direct room", async () => {
    const {bot, ann} = await makeRoom()
    const shy = await Person.register(homeserver(), "shy")
    const env = {BOT_TOKEN: bot.token, SHY_TOKEN: shy.token}
    const account = {homeserver: homeserver().url}
    const host = await startMatrixHost(
      [
        {...account, id: "main", accessToken: "${BOT_TOKEN}", join: "same-server"},
        {...account, id: "shy", accessToken: "${SHY_TOKEN}"},
      ],
      {runtime, env},
    )
    await untilEndpoint(host, "main", "online")
    await untilEndpoint(host, "shy", "online")
    const room = await ann.createRoom({preset: "trusted_private_chat", is_direct: true, invite: [bot.id, shy.id]})
    await ann.say(room, "greet me")
    await until("the answer", async () => (await ann.heard(room, bot.id)).some(({body}) => body === "hello me"))
    expect((await eventsOf(host, room)).at(-1)?.channel).toMatchObject({type: 1})
    const {rooms} = await shy.ask("GET", "/client/v3/sync?timeout=0")
    expect(Object.keys(rooms.invite)).toContain(room)

    await ann.say(room, "whisper")
    await until("the message in the same room", async () =>
      (await ann.heard(room, bot.id)).some(({body}) => body === "by the way"),
    )
  })
})
