import {expect, test} from "vitest"
import {pluginWith, startHost, svc, type TestHost, until, usualRuntime} from "../../support/host/host.ts"
import {joinIrc, type Person, startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {tokens, untilDiscord} from "../../support/platforms/discord/host.ts"
import {endpointOf} from "../../support/platforms/endpoint.ts"
import {startDiscord} from "../../support/platforms/fakes.ts"

/** More edits than the adapter keeps in memory. */
const edits = 6000

const bot = pluginWith(`
    const seen: string[] = []
    const Counts = Type.Object({handled: Type.Integer(), once: Type.Integer()})
    plugin.command("ping", {description: "Answers"}, () => "pong")
    plugin.on("message-updated", session => {
      seen.push(session.event.message?.id ?? "")
    })
    plugin.route({
      method: "GET", path: "/counts", scope: "full", summary: "Edits that were handled", response: Counts,
      handle: (_, call) => call.json(Counts, {handled: seen.length, once: new Set(seen).size}),
    })
    plugin.route({
      method: "POST", path: "/write", scope: "full", summary: "Writes to Discord", response: Counts,
      handle: async (_, call) => {
        for (let n = 0; n < 20; n++) await plugin.send({endpoint: "discord~one", channel: String(700 + n)}, "hello")
        return call.json(Counts, {handled: 20, once: 20})
      },
    })
`)

const expectAnswers = async (host: TestHost, ann: Person) => {
  expect(await ann.asks("bot", "bot", "!ping")).toBe("pong")
  expect(await host.say("!ping")).toEqual(["pong"])
}

describeWith("ngircd")("a platform in trouble", () => {
  test("that floods, limits or hangs delays neither other platforms nor a stop of the Host", async () => {
    const [irc, fake] = [await startIrcServer("ngircd"), await startDiscord()]
    const config = JSON.stringify({
      http: {port: 0, readiness: {endpoints: [{owner: "root/discord", name: "discord~one"}]}},
      plugins: {
        bot: {},
        sandbox: {},
        irc: {endpoints: [{id: "one", server: "127.0.0.1", tls: false, port: irc.port, nick: "bot"}]},
        discord: {endpoints: [{id: "one", token: "${DISCORD_TOKEN}", api: fake.url}]},
      },
    })
    const host = await startHost({config, plugins: {bot}, env: tokens})
    await untilDiscord(host, "online")
    await untilDiscord(host, "online", "irc~one")
    const ann = await joinIrc(irc, "ann")
    await expectAnswers(host, ann)

    const counts = () => host.plugin<{handled: number; once: number}>("/api/plugins/bot/counts")
    const ids = Array.from({length: edits}, (_, n) => {
      const channel = String(10_000 + n)
      return fake.world.add({channel, author: fake.world.user(channel), content: "before"}).id
    })
    for (const id of ids) fake.edit(id, "after")
    await expectAnswers(host, ann)
    await until("the flood to be handled", async () => (await counts()).handled >= edits, 60_000)
    expect(await counts()).toEqual({handled: edits, once: edits})
    await untilDiscord(host, "online")

    const limited = {message: "You are being rate limited.", retry_after: 3600, global: false}
    const headers = {"retry-after": "3600", "x-ratelimit-scope": "user"}
    fake.requests.order(/./, {status: 429, body: limited, headers}, {times: Number.POSITIVE_INFINITY})
    await host.plugin("/api/plugins/bot/write", {})
    await until("Discord to limit the requests", () =>
      fake.requests.received.some(({method}) => method.startsWith("POST /channels/7")),
    )
    await expectAnswers(host, ann)
    const {items} = await host.get("/api/outbox", {state: "queued"})
    expect(items[0]?.error).toContain("Discord rate-limits POST /channels/")

    fake.requests.clear()
    fake.hang(true)
    fake.sessions.cut()
    await until("it to notice the loss", async () => (await endpointOf(host, "discord~one")).state !== "online")
    await expectAnswers(host, ann)
    const listed = await svc(usualRuntime, host.project, ["endpoint", "list"], {env: tokens})
    const {components} = await host.get("/api/system/readiness")
    const message = expect.stringMatching(/\bnot connected\b/)
    expect(components).toContainEqual(expect.objectContaining({name: "discord~one", required: true, message}))
    expect(listed.stdout).toMatch(/discord~one .*(reconnecting|connecting)/)
    const {code} = await host.stop()
    expect(code).toBe(0)
  })
})
