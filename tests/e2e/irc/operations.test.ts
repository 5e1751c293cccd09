import {expect, test} from "vitest"
import {svc, type TestHost} from "../../support/host/host.ts"
import {bunOr, onBun} from "../../support/host/runtimes.ts"
import {type IrcAccount, ircConfig, ircEndpoint, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {joinIrc, type Person} from "../../support/irc/person.ts"
import {startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"

const twoRuntimes = bunOr("node22")
const lounge = {nick: "svcbot", channels: ["#lounge"]}

/** The lines in which the bot joins, leaves or changes its nick. */
const moves = (person: Person, nick: string) =>
  person.lines.filter(line => new RegExp(`^:${nick}!\\S+ (JOIN|QUIT|PART|NICK)`).test(line))

const reload = async (host: TestHost, config: string) => {
  host.project.write("svc.config.yml", config)
  await host.post("/api/system/reload")
}

describeWith("ngircd", "inspircd")("an IRC endpoint in operation", () => {
  test.each(twoRuntimes)("says goodbye to the server on SIGTERM, and the Host exits 0, on $name", async runtime => {
    const server = await startIrcServer("ngircd")
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const host = await startIrcHost([{id: "main", port: server.port, ...lounge}], {runtime})
    await person.sees(/^:svcbot!\S+ JOIN/)
    const {code, signal} = await host.stop("SIGTERM")
    expect({code, signal}).toEqual({code: 0, signal: null})
    expect(await person.sees(/^:svcbot!\S+ QUIT/)).toContain("closing")
  })

  test("stays connected when a reload adds another account", async () => {
    const server = await startIrcServer("ngircd")
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const first: IrcAccount = {id: "first", port: server.port, ...lounge}
    const host = await startIrcHost([first], {args: ["--no-watch"]})
    await person.sees(/^:svcbot!\S+ JOIN/)
    const {since} = await untilEndpoint(host, "first", "online")
    const before = server.connections()

    await reload(host, ircConfig([first, {id: "second", port: server.port, ...lounge, nick: "other"}]))
    await person.sees(/^:other!\S+ JOIN/)
    expect(server.connections() - before).toBe(1)
    expect((await ircEndpoint(host, "first")).since).toBe(since)
    expect(await person.asks("svcbot", "#lounge", "svcbot: greet Bob")).toBe("hello Bob")

    await reload(host, ircConfig([first]))
    await person.sees(/^:other!\S+ QUIT/)
    expect(moves(person, "svcbot")).toHaveLength(1)
    expect(server.connections() - before).toBe(1)
  })

  test("reconnects under its own nick when a reload changes it", async () => {
    const server = await startIrcServer("ngircd")
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const account: IrcAccount = {id: "main", port: server.port, ...lounge}
    const host = await startIrcHost([account], {args: ["--no-watch"]})
    await person.sees(/^:svcbot!\S+ JOIN/)
    await reload(host, ircConfig([{...account, realname: "another name"}]))
    await person.sees(/^:svcbot!\S+ QUIT/)
    await person.sees(/^:svcbot!\S+ JOIN/)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
  })

  test("continues an answer that takes longer than one attempt, without repeating lines", async () => {
    const server = await startIrcServer("inspircd")
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    await startIrcHost([{id: "main", port: server.port, ...lounge}])
    await person.sees(/^:svcbot!\S+ JOIN/)
    person.say("#lounge", "!lines 60")
    await person.sees(/ PRIVMSG #lounge :line 60$/, 150_000)
    expect(person.heard("svcbot", "#lounge")).toEqual(Array.from({length: 60}, (_, i) => `line ${i + 1}`))
  })

  test("makes svc doctor --live exit 0 if it is required, and 1 once its plugin is disabled", async () => {
    const server = await startIrcServer("ngircd")
    const http = {readiness: {endpoints: [{owner: "root/irc", name: "irc~main"}]}}
    const account: IrcAccount = {id: "main", port: server.port, ...lounge}
    const host = await startIrcHost([account], {http, args: ["--no-watch"]})
    await untilEndpoint(host, "main", "online")
    const live = () =>
      svc(onBun, host.project, ["doctor", "--live", host.url, "--json"], {env: {SVC_HTTP_TOKEN: host.token}})
    expect((await live()).code).toBe(0)

    const config = JSON.parse(ircConfig([account], http))
    config.plugins.irc.enabled = false
    await reload(host, JSON.stringify(config))
    const {code, stdout} = await live()
    expect({code, report: stdout}).toEqual({code: 1, report: expect.stringContaining("plugin_disabled")})
    expect((await host.fetch("/pub/ready")).status).toBe(503)
  })

  test("makes the Host unready with the reason if the server refuses it", async () => {
    const server = await startIrcServer("ngircd", {password: "right-password"})
    const http = {readiness: {endpoints: [{owner: "root/irc", name: "irc~main"}]}}
    const account = {id: "main", port: server.port, ...lounge, password: "${SERVER_PASSWORD}"}
    const host = await startIrcHost([account], {http, env: {SERVER_PASSWORD: "a-wrong-password"}})
    await untilEndpoint(host, "main", "failed")
    const response = await host.fetch("/api/system/readiness")
    expect(response.status).toBe(503)
    expect(await response.text()).toContain("endpoint_failed")
  })

  test("comes online on a reload after its password is corrected in .env", async () => {
    const server = await startIrcServer("ngircd", {password: "right-password"})
    const account = {id: "main", port: server.port, ...lounge, password: "${SERVER_PASSWORD}"}
    const host = await startIrcHost([account], {
      args: ["--no-watch"],
      files: {"bunfig.toml": "env = false\n", ".env": "SERVER_PASSWORD=a-wrong-password\n"},
    })
    await untilEndpoint(host, "main", "failed")
    host.project.write(".env", "SERVER_PASSWORD=right-password\n")
    await host.post("/api/system/reload")
    await untilEndpoint(host, "main", "online")
  })
})
