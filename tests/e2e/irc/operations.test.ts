import {expect, test} from "vitest"
import {bunOr, type TestHost} from "../../support/host/host.ts"
import {ircConfig, lounge, meetInLounge, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"

const reload = async (host: TestHost, config: string) => {
  host.project.write("svc.config.yml", config)
  await host.post("/api/system/reload")
}

describeWith("ngircd", "inspircd")("an IRC endpoint in operation", () => {
  test.each(bunOr("node22"))("says goodbye to the server on SIGTERM, and the Host exits 0, on $name", async runtime => {
    const {person, host} = await meetInLounge("ngircd", {runtime})
    const {code, signal} = await host.stop("SIGTERM")
    expect({code, signal}).toEqual({code: 0, signal: null})
    expect(await person.sees(/^:svcbot!\S+ QUIT/)).toContain("closing")
  })

  test("reconnects under its own nick when a reload changes it", async () => {
    const {server, person, host} = await meetInLounge("ngircd", {args: ["--no-watch"]})
    await reload(host, ircConfig([{id: "main", port: server.port, ...lounge, realname: "another name"}]))
    await person.sees(/^:svcbot!\S+ QUIT/)
    await person.sees(/^:svcbot!\S+ JOIN/)
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
  })

  test("continues an answer that takes longer than one attempt, without repeating lines", async () => {
    const {person} = await meetInLounge("inspircd")
    person.say("#lounge", "!lines 60")
    await person.sees(/ PRIVMSG #lounge :line 60$/, 150_000)
    expect(person.heard("svcbot", "#lounge")).toEqual(Array.from({length: 60}, (_, i) => `line ${i + 1}`))
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
