import {describe, expect, test} from "vitest"
import {inboxOf, startHost, svc, until, untilGaps, usuallyOn} from "../../support/host/host.ts"
import {saidIn, startDiscordHost, tokens, untilDiscord, untilEvent} from "../../support/platforms/discord/host.ts"
import {startDiscord} from "../../support/platforms/fakes.ts"

const runtime = usuallyOn("node22")

/** Two channels of the fake: one with several members, and Ann's direct messages. */
const [club, direct] = ["600", "42"]

describe("a bot on Discord whose Host is killed", () => {
  test("stores every message, edit and reaction once and misses none", async () => {
    const fake = await startDiscord()
    let host = await startDiscordHost(fake, {own: true, runtime})
    await untilDiscord(host, "online")
    const said: string[] = []
    for (let kill = 0; kill < 4; kill++) {
      for (let n = 0; n < 5; n++) {
        const {id} = fake.write({channel: n % 2 === 0 ? club : direct, content: `burst ${kill}, ${n}`})
        fake.react(id, "🎉")
        said.push(id, id)
      }
      await new Promise(resolve => setTimeout(resolve, kill * 9))
      await host.stop("SIGKILL")
      fake.edit(said[0] ?? "", `edit ${kill}`)
      host = await startDiscordHost(fake, {own: true, runtime, project: host.project})
      await untilDiscord(host, "online")
    }
    const all = said.length + 4
    const events = await until("all events", async () => {
      const items = await inboxOf(host)
      return items.length >= all && items
    }).catch(async error => {
      const found = (await inboxOf(host)).map(({event}) => `${event.type} ${event.message?.content}`)
      const {identified, resumed} = fake.sessions
      const sessions = `${identified} sessions begun, ${resumed} resumed`
      throw new Error(`${error.message}; ${found.length} of ${all}; ${sessions}\n${found.join("\n")}`)
    })
    const created = events.filter(({event}) => event.type === "message-created" || event.type === "reaction-added")
    expect(created.map(({event}) => event.message?.id).sort()).toEqual([...said].sort())
    expect(events.filter(({event}) => event.type === "message-updated")).toHaveLength(4)
    expect(fake.sessions).toMatchObject({identified: 1, resumed: 4})
    // If a gap is still open at the next kill, that kill extends it.
    const gaps = await untilGaps(host, 1)
    expect(gaps.filter(({backfill}) => backfill !== "filled")).toEqual([])
  })

  test("starts a new session when Discord has dropped the old one, and fetches missed messages", async () => {
    const fake = await startDiscord()
    const first = await startDiscordHost(fake, {own: true, runtime})
    await untilDiscord(first, "online")
    fake.write({channel: club, content: "before"})
    await untilEvent(first, "the first message", ({event}) => event.message?.content === "before")
    await first.stop("SIGKILL")
    fake.sessions.forget()
    fake.write({channel: club, content: "meanwhile"})
    const host = await startDiscordHost(fake, {own: true, runtime, project: first.project})
    await untilEvent(host, "the missed message", ({event}) => event.message?.content === "meanwhile")
    expect(fake.sessions).toMatchObject({identified: 2, resumed: 0})
    expect(await untilGaps(host, 1)).toMatchObject([{backfill: "filled"}])
    // Discord may also drop the session while the bot is connected.
    fake.sessions.forget()
    fake.write({channel: club, content: "and again"})
    await untilEvent(host, "the second missed message", ({event}) => event.message?.content === "and again")
    await untilDiscord(host, "online")
    expect(fake.sessions.identified).toBe(3)
  })
})

describe("accounts of Discord", () => {
  test("run as separate bots, and a wrong token fails only its own endpoint", async () => {
    const fake = await startDiscord()
    const accounts = [{id: "one"}, {id: "other", token: "${OTHER_TOKEN}"}, {id: "wrong", token: "${WRONG_TOKEN}"}]
    const host = await startDiscordHost(fake, {runtime, accounts})
    await Promise.all([untilDiscord(host, "online"), untilDiscord(host, "online", "discord~other")])
    const failed = await untilDiscord(host, "failed", "discord~wrong")
    expect(failed).toMatchObject({reason: "credentials", remediation: expect.stringContaining("Reset Token")})
    fake.write({channel: club, content: "!greet Bob"})
    await until("both bots to answer", () => saidIn(fake, club).length === 2)
    expect(new Set(fake.world.in(club).map(({author}) => author.id))).toEqual(new Set(["42", "998", "999"]))
    expect(host.process.output()).not.toContain(tokens.WRONG_TOKEN)
  })

  test("fail with the names of the intents that are off, and say where to turn them on", async () => {
    const fake = await startDiscord()
    fake.sessions.areIntentsOff = true
    const accounts = [
      {id: "one"},
      {id: "two", intents: ["guilds", "guild_members"]},
      {id: "three", intents: ["guilds"]},
    ]
    const host = await startDiscordHost(fake, {runtime, accounts})
    expect(await untilDiscord(host, "failed")).toMatchObject({
      reason: "intents",
      remediation: expect.stringMatching(/^Turn on Message Content Intent at https:\/\/discord.com\/developers/),
    })
    expect((await untilDiscord(host, "failed", "discord~two")).remediation).toContain("Server Members Intent")
    await untilDiscord(host, "online", "discord~three")
    fake.world.application = {interactions_endpoint_url: "https://bot.example/"}
    const {stdout} = await svc(runtime, host.project, ["adapter", "check", "discord~three"], {env: tokens})
    expect(stdout).toMatch(/ERROR {3}interactions: .* https:\/\/bot.example\/\n.*Set publicKey/)
  })

  test("with an invalid key are rejected with the key's position, before any connection", async () => {
    const config =
      'http: {port: 0}\nplugins:\n  discord:\n    endpoints: [{id: one, token: "${DISCORD_TOKEN}", publicKey: short}]\n'
    await expect(startHost({runtime, config, env: tokens})).rejects.toThrow(/publicKey/)
  })
})
