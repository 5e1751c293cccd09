import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {bunOr, until, untilPrinted} from "../../support/host/host.ts"
import {ircEndpoint, lounge, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {type IrcServerName, joinIrc, makeCertificate, startIrcServer} from "../../support/irc/servers.ts"
import {startServices} from "../../support/irc/services.ts"
import {describeWith} from "../../support/machine/tools.ts"

const servers: readonly IrcServerName[] = ["ngircd", "inspircd"]
/** Longer than the first retry intervals, so that a retry would be noticed. */
const severalAttempts = 4000

describeWith(
  "ngircd",
  "inspircd",
  "openssl",
)("a bot with TLS on IRC", () => {
  const cases = bunOr("node22").flatMap(runtime => servers.map(server => ({runtime, server, on: runtime.name})))

  test.each(cases)("connects to $server with a trusted certificate, run by $on", async it => {
    const tls = await makeCertificate()
    const server = await startIrcServer(it.server, {tls})
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const account = {port: server.tlsPort, tls: true}
    await startIrcHost(
      [
        {id: "trusted", ...account, ...lounge},
        {id: "unchecked", ...account, ...lounge, nick: "other", verify: false},
      ],
      {runtime: it.runtime, env: {NODE_EXTRA_CA_CERTS: tls.cert}},
    )
    await person.sees(/^:(svcbot|other)!\S+ JOIN/)
    await person.sees(/^:(svcbot|other)!\S+ JOIN/)
    expect(await person.asks("svcbot", "#lounge", "svcbot: greet Bob")).toBe("hello Bob")
    expect(await person.asks("other", "#lounge", "other: greet Bob")).toBe("hello Bob")
  })

  test.each(bunOr("node22"))("refuses an untrusted certificate and names the reason, on $name", async runtime => {
    const server = await startIrcServer("ngircd", {tls: await makeCertificate()})
    const host = await startIrcHost([{id: "main", port: server.tlsPort, tls: true, ...lounge}], {runtime})
    const {error} = await untilEndpoint(host, "main", "reconnecting")
    expect(error).toMatch(/self.signed certificate/i)
  })
})

describeWith("inspircd", "atheme-services")("a bot with SASL on IRC", () => {
  const sasl = {account: "svcbot", password: "${BOT_PASSWORD}"}
  const serve = async () => {
    const server = await startIrcServer("inspircd")
    await startServices(server, {svcbot: "correct-password"})
    return server
  }

  test.each(bunOr("node22"))("logs in with PLAIN, on $name", async runtime => {
    const server = await serve()
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    await startIrcHost([{id: "main", port: server.port, ...lounge, sasl}], {
      runtime,
      env: {BOT_PASSWORD: "correct-password"},
    })
    await person.sees(/^:svcbot!\S+ JOIN/)
    person.write("WHOIS svcbot")
    expect(await person.sees(/^\S+ 330 /)).toMatch(/ svcbot svcbot :is logged in as/)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
  })

  test("fails with a wrong password after a single attempt", async () => {
    const server = await serve()
    const before = server.connections()
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge, sasl}], {
      env: {BOT_PASSWORD: "a-wrong-password"},
    })
    expect(await untilEndpoint(host, "main", "failed")).toMatchObject({
      admission: "closed",
      reason: "credentials",
      error: expect.stringMatching(/^SASL login as svcbot failed: /),
      remediation: expect.stringContaining("sasl.password"),
    })
    await sleep(severalAttempts)
    expect(server.connections() - before).toBe(1)
    expect(host.process.output()).not.toContain("a-wrong-password")
  })

  test.each(servers)("does not join and reports the reason if %s has no SASL", async name => {
    const server = await startIrcServer(name)
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge, sasl}], {
      env: {BOT_PASSWORD: "correct-password"},
    })
    expect((await untilEndpoint(host, "main", "reconnecting")).error).toMatch(/^127\.0\.0\.1 .*\bno SASL\b/)
    await sleep(1000)
    expect(person.lines.filter(line => line.includes("JOIN"))).toHaveLength(1)
  })
})

describeWith("ngircd", "inspircd")("the server's password", () => {
  const password = "${SERVER_PASSWORD}"

  test.each(servers)("lets the bot into %s if it is right", async name => {
    const server = await startIrcServer(name, {password: "right-password"})
    const person = await joinIrc(server, "alice", {channel: "#lounge", password: "right-password"})
    await startIrcHost([{id: "main", port: server.port, ...lounge, password}], {
      env: {SERVER_PASSWORD: "right-password"},
    })
    await person.sees(/^:svcbot!\S+ JOIN/)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
  })

  test.each(servers)("fails the endpoint on %s after one attempt if it is wrong or missing", async name => {
    const server = await startIrcServer(name, {password: "right-password"})
    const host = await startIrcHost(
      [
        {id: "wrong", port: server.port, ...lounge, password},
        {id: "none", port: server.port, ...lounge, nick: "other"},
      ],
      {env: {SERVER_PASSWORD: "a-wrong-password"}},
    )
    expect(await untilEndpoint(host, "wrong", "failed")).toMatchObject({
      reason: "credentials",
      error: expect.stringMatching(/: .*(password|access denied)/i),
      remediation: expect.stringMatching(/\bpassword\b/),
    })
    expect(await untilEndpoint(host, "none", "failed")).toMatchObject({
      reason: "credentials",
      remediation: expect.stringMatching(/\$\{NAME\}.*\boperators\b/),
    })
    await sleep(severalAttempts)
    expect(server.connections()).toBe(2)
    expect(host.process.output()).not.toContain("a-wrong-password")
  })
})

describeWith("ngircd", "inspircd")("the nick", () => {
  test.each(servers)("is replaced by a variant if it is in use on %s, and the bot answers to that", async name => {
    const server = await startIrcServer(name)
    const person = await joinIrc(server, "svcbot", {channel: "#lounge"})
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}])
    await person.sees(/^:svcbot_!\S+ JOIN/)
    expect(await person.asks("svcbot_", "#lounge", "svcbot_: greet Bob")).toBe("hello Bob")
    expect((await ircEndpoint(host, "main")).login?.user?.id).toBe("svcbot_")
    await untilPrinted(host.process, "the nick svcbot is in use; trying svcbot_")
  })

  test("never gets a variant that is longer than the server allows", async () => {
    const server = await startIrcServer("ngircd")
    const person = await joinIrc(server, "ninechars", {channel: "#lounge"})
    await startIrcHost([{id: "main", port: server.port, ...lounge, nick: "ninechars"}])
    await person.sees(/^:ninecha_1!\S+ JOIN/)
    expect(await person.asks("ninecha_1", "#lounge", "!greet Bob")).toBe("hello Bob")
  })

  test("fails the endpoint if the server rejects it", async () => {
    const server = await startIrcServer("ngircd")
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge, nick: "tenletters"}])
    const failed = await untilEndpoint(host, "main", "failed")
    expect(failed).toMatchObject({reason: "nick_invalid", error: expect.stringContaining("tenletters")})
    await until("the server to log the connection", () => server.connections() > 0)
    expect(server.connections()).toBe(1)
  })
})
