import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {bunAnd, bunOr, startHost, type TestHost, until, untilPrinted, whileSuspended} from "../../support/host/host.ts"
import {ircEndpoint, lounge, meetInLounge, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {type IrcServer, joinIrc, type Person, startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {gapsOf, untilGaps} from "../../support/messages/gaps.ts"

/** The shortest pause before the bot rejoins a channel, in milliseconds: half of 5 s. The rest is jitter. */
const leastPause = 2500

/** Restarts the server and joins as a person while the Host is suspended: the person is there before the bot. */
const returnWith = (server: IrcServer, host: TestHost): Promise<Person> =>
  whileSuspended(host, async () => {
    await server.start()
    return joinIrc(server, "alice", {channel: "#lounge"})
  })

describeWith("ngircd", "inspircd")("a bot on IRC when things go wrong", () => {
  test.each(bunOr("node22"))("rejoins its channel when the server is back, on $name", async runtime => {
    const server = await startIrcServer("ngircd")
    const before = await joinIrc(server, "alice", {channel: "#lounge"})
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}], {
      runtime,
      http: {readiness: {endpoints: [{owner: "root/irc", name: "irc~main"}]}},
    })
    await before.sees(/^:svcbot!\S+ JOIN/)
    await server.kill()

    const away = await untilEndpoint(host, "main", "reconnecting")
    expect(away.error).toMatch(/closed the connection/)
    expect(away.attempt).toBeGreaterThan(1)
    // Messages to be sent wait meanwhile: admission is open, but the endpoint is offline.
    await host.post("/api/outbox", {body: {endpoint: "irc~main", channel: "#lounge", text: "I was away"}})
    expect((await host.fetch("/api/system/readiness")).status).toBe(200)
    await sleep(2500)
    expect((await ircEndpoint(host, "main")).state).toMatch(/^(reconnecting|connecting)$/)

    const connections = server.connections()
    const after = await returnWith(server, host)
    await untilEndpoint(host, "main", "online")
    await until("the bot to send the waiting message", () => after.heard("svcbot", "#lounge").includes("I was away"))
    expect(await after.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    expect(server.connections() - connections).toBe(2)
  })

  test.each(bunAnd("node22"))(
    "sends what waited too long only if its account has no limit, on $name",
    async runtime => {
      const server = await startIrcServer("ngircd")
      const other = {...lounge, nick: "limited"}
      const host = await startIrcHost(
        [
          {id: "main", port: server.port, ...lounge, outbox: {maxAge: "never"}},
          {id: "limited", port: server.port, ...other},
        ],
        {runtime, outbox: {maxAge: "3s"}},
      )
      const each = ["main", "limited"]
      await Promise.all(each.map(id => untilEndpoint(host, id, "online")))
      await server.kill()
      await Promise.all(each.map(id => untilEndpoint(host, id, "reconnecting")))
      const send = (id: string, text: string) =>
        host.post("/api/outbox", {body: {endpoint: `irc~${id}`, channel: "#lounge", text}})
      for (const text of ["one", "two", "three"]) for (const id of each) await send(id, text)
      await sleep(3000)
      const person = await returnWith(server, host)
      await Promise.all(each.map(id => untilEndpoint(host, id, "online")))
      await until("the late messages", () => person.heard("svcbot", "#lounge").length === 3)
      await send("limited", "fresh")
      await until("the fresh message", () => person.heard("limited", "#lounge").includes("fresh"))
      expect(person.heard("svcbot", "#lounge")).toEqual(["one", "two", "three"])
      expect(person.heard("limited", "#lounge")).toEqual(["fresh"])
      const expired = await host.get("/api/outbox", {state: "expired"})
      expect(expired.items).toHaveLength(3)
      expect(expired.items).toEqual(
        Array.from({length: 3}, () => expect.objectContaining({endpoint: "irc~limited", reason: "too_old"})),
      )
    },
  )

  test("sends a message again if the server died before it accepted it", async () => {
    const server = await startIrcServer("ngircd")
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}])
    await untilEndpoint(host, "main", "online")
    server.freeze()
    const {id} = await host.post("/api/outbox", {body: {endpoint: "irc~main", channel: "#lounge", text: "news"}})
    const stateOf = async () => (await host.get("/api/outbox/:id", {id})).state
    await until("the message to be sending", async () => (await stateOf()) === "sending")
    await sleep(500)
    expect(await stateOf()).toBe("sending")
    await server.kill()
    const person = await returnWith(server, host)
    await until("the message to arrive", () => person.heard("svcbot", "#lounge").includes("news"))
    await until("the message to be sent", async () => (await stateOf()) === "sent")
  })

  test("retries an offline server at growing intervals", async () => {
    const server = await startIrcServer("ngircd")
    await server.kill()
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}])
    const {error} = await untilEndpoint(host, "main", "reconnecting")
    expect(error).toMatch(/127\.0\.0\.1 closed .*: .*ECONNREFUSED/)
    await sleep(4000)
    const attempt = await until("another attempt", async () => {
      const {state, attempt = 0} = await ircEndpoint(host, "main")
      return state === "reconnecting" && attempt > 2 && attempt
    })
    expect(attempt).toBeLessThan(8)
  })

  test("rejoins after a kick, and then sends the messages that had to wait", async () => {
    const {person, host} = await meetInLounge("inspircd")
    await untilEndpoint(host, "main", "online")
    person.write("KICK #lounge svcbot :out")
    await person.sees(/KICK #lounge svcbot/)
    await host.post("/api/outbox", {body: {endpoint: "irc~main", channel: "#lounge", text: "still here"}})
    expect((await ircEndpoint(host, "main")).state).toBe("online")
    await person.sees(/^:svcbot!\S+ JOIN/)
    await until("the bot to send the message", () => person.heard("svcbot", "#lounge").length > 0)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    expect(person.heard("svcbot", "#lounge")).toEqual(["still here", "hello Bob"])
    await untilPrinted(host.process, "kicked from #lounge by alice; rejoining")
  })

  test("records a gap from a kick, at the latest, until it is back in the channel", async () => {
    const {person, host} = await meetInLounge("ngircd")
    const online = Date.parse((await untilEndpoint(host, "main", "online")).since)
    const kickedAt = Date.now()
    person.write("KICK #lounge svcbot :out\r\nPRIVMSG #lounge :!greet Nobody")
    const [open] = await until("the gap to begin", async () => {
      const gaps = await gapsOf(host)
      return gaps.length === 1 && gaps
    })
    const heardOf = Date.now()
    expect(open).toMatchObject({endpoint: "irc~main", reason: "channel_left"})
    // If finding the gap took this long, it may have ended already.
    if (Date.now() - kickedAt < leastPause) expect(open?.to).toBe(null)
    expect((await ircEndpoint(host, "main")).state).toBe("online")
    await person.sees(/^:svcbot!\S+ JOIN/)
    const [gap] = await untilGaps(host, 1)
    const [from, to] = [Date.parse(gap?.from ?? ""), Date.parse(gap?.to ?? "")]
    expect(from).toBeGreaterThanOrEqual(online)
    expect(from).toBeLessThanOrEqual(heardOf)
    expect(to - kickedAt).toBeGreaterThan(leastPause - 100)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    expect(person.heard("svcbot", "#lounge")).toEqual(["hello Bob"])
  })

  test("records a gap after REMOVE, which others see as a PART, and rejoins", async () => {
    const {person, host} = await meetInLounge("inspircd")
    await untilEndpoint(host, "main", "online")
    person.write("REMOVE #lounge svcbot :out")
    await person.sees(/^:svcbot!\S+ PART/)
    await person.sees(/^:svcbot!\S+ JOIN/)
    expect(await untilGaps(host, 1)).toMatchObject([{endpoint: "irc~main", reason: "channel_left"}])
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    await untilPrinted(host.process, "removed from #lounge; rejoining")
  })

  test("logs a channel that refuses it, records a gap until it gets in, and joins the others", async () => {
    const server = await startIrcServer("inspircd")
    const person = await joinIrc(server, "alice", {channel: "#private"})
    person.write("MODE #private +k secret")
    await person.sees(/MODE #private \+k/)
    person.write("JOIN #open")
    await person.sees(/^\S+ 366 alice #open /)
    const host = await startIrcHost([
      {id: "out", port: server.port, nick: "outside", channels: ["#private", "#open"]},
      {id: "in", port: server.port, nick: "inside", channels: ["#private secret"]},
    ])
    await person.sees(/^:inside!\S+ JOIN :?#private/)
    await untilPrinted(host.process, /#private: Cannot join channel/)
    await until("the bot to join the other channel", () =>
      person.lines.some(line => /^:outside!\S+ JOIN :?#open/.test(line)),
    )
    expect(person.lines.filter(line => /^:outside!\S+ JOIN :?#private/.test(line))).toEqual([])
    const [gap] = await until("the gap to begin", async () => {
      const gaps = await gapsOf(host)
      return gaps.length > 0 && gaps
    })
    expect(gap).toMatchObject({endpoint: "irc~out", reason: "channel_left", to: null})
    person.write("MODE #private -k secret")
    await person.sees(/^:outside!\S+ JOIN :?#private/)
    expect(await untilGaps(host, 1)).toHaveLength(1)
    expect(await person.asks("outside", "#private", "outside: greet Bob")).toBe("hello Bob")
  })

  test("keeps one gap across restarts for a channel that no longer lets it in", async () => {
    const {person, host: first} = await meetInLounge("inspircd")
    await untilEndpoint(first, "main", "online")
    person.write("MODE #lounge +i")
    await person.sees(/MODE #lounge :?\+i/)
    await first.stop()
    const host = await startHost({own: true, project: first.project})
    await untilPrinted(host.process, "could not enter #lounge; rejoining")
    await untilEndpoint(host, "main", "online")
    const deaf = async () => (await host.get("/api/endpoints")).items[0]?.unreadable
    expect(await deaf()).toMatchObject([{place: "#lounge"}])
    person.write("PRIVMSG #lounge :!greet Nobody")
    expect(await gapsOf(host)).toMatchObject([{reason: "host_stopped", to: null}])
    const said = Date.now()
    person.write("MODE #lounge -i")
    await person.sees(/^:svcbot!\S+ JOIN /)
    const [gap] = await untilGaps(host, 1)
    expect(Date.parse(gap?.to ?? "")).toBeGreaterThanOrEqual(said)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    expect(person.heard("svcbot", "#lounge")).toEqual(["hello Bob"])
    expect(await deaf()).toBeUndefined()
  })
})
