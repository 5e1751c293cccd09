import {generateKeyPairSync, sign} from "node:crypto"
import {describe, expect, test} from "vitest"
import {expectProblem, gapsOf, inboxOf, shared, svc, until, usuallyOn} from "../../support/host/host.ts"
import {
  saidIn,
  startDiscordHost,
  tokens,
  untilDiscord,
  untilEvent,
  untilSaid,
} from "../../support/platforms/discord/host.ts"
import {startDiscord} from "../../support/platforms/fakes.ts"

const runtime = usuallyOn("node24")

/** Channels of the fake: one with several members, a thread, and Ann's direct messages. */
const [club, thread, direct] = ["600", "601", "42"]

/** The application's key pair. Discord signs its HTTP interactions with it. */
const keys = generateKeyPairSync("ed25519")
const publicKey = Buffer.from(String(keys.publicKey.export({format: "jwk"}).x), "base64url").toString("hex")

describe("a bot on Discord (on the tests' fake)", () => {
  const given = shared(async () => {
    const fake = await startDiscord()
    const host = await startDiscordHost(fake, {runtime, accounts: [{id: "one", publicKey}]})
    await untilDiscord(host, "online")
    return {fake, host}
  })

  /** Sends a message as a user and waits for the bot's answer. Resolves to the answer as Discord stores it. */
  const ask = async (content: string, channel = club) => {
    const {fake} = given()
    const before = saidIn(fake, channel).length
    fake.write({channel, content})
    await untilSaid(fake, channel, before + 1)
    const answer = fake.world.in(channel).findLast(({author}) => author.bot === true)
    if (answer === undefined) throw new Error("the bot said nothing")
    return answer
  }

  test("answers in a channel, in a thread and in a direct message", async () => {
    expect((await ask("!greet Bob")).content).toBe("hello Bob")
    expect((await ask("<@999> greet Carol")).content).toBe("hello Carol")
    expect((await ask("!greet Dora", thread)).content).toBe("hello Dora")
    expect((await ask("greet Émil", direct)).content).toBe("hello Émil")
    const events = await inboxOf(given().host)
    const places = new Map(events.map(({event: {channel, guild}}) => [channel?.id, {channel, guild}]))
    expect(places.get(club)).toEqual({channel: {id: club, type: 0, name: "general"}, guild: {id: "500", name: "Club"}})
    expect(places.get(thread)).toMatchObject({channel: {id: thread, type: 0, name: "a thread"}, guild: {id: "500"}})
    expect(places.get(direct)).toEqual({channel: {id: direct, type: 1}})
  })

  test("escapes markup and mentions in user text, and renders both from elements", async () => {
    const hostile = "**b** @everyone <@43> [x](https://evil.example/)\n# h"
    const echo = await ask(`!repeat "${hostile}"`)
    expect(echo.body?.allowed_mentions).toEqual({parse: [], users: [], roles: [], replied_user: true})
    expect(echo.content).not.toMatch(/(^|[^\\])(\*\*|@everyone|<@)|\]\(|^#/m)
    const marked = await ask("!marks")
    expect(marked.content).toBe("**bold** <@43> [link](<https://example.com/>)")
    expect(marked.body?.allowed_mentions).toMatchObject({parse: [], users: ["43"]})
    const {content, body} = await ask("!card")
    expect(content).toBe("- one\n- two \\<@43>")
    expect(body?.embeds).toEqual([
      {
        title: "Build <7>",
        color: 0xc0ffee,
        description: "It failed.",
        fields: [{name: "Branch", value: "main", inline: true}],
      },
    ])
    const pictured = await ask("!pictured")
    const [{name} = {name: ""}] = pictured.files
    expect(pictured.body?.embeds).toEqual([
      {title: "Seen", image: {url: `attachment://${name}`}},
      {description: "more"},
    ])
    expect(name).toMatch(/^[\w.-]+$/)
  })

  test("shows more cards than Discord accepts in several messages, and in an edit as text", async () => {
    const {fake} = given()
    const before = fake.world.in(club).length
    fake.write({channel: club, content: "!cards"})
    const shown = await until("the cards", () => {
      const [, ...own] = fake.world.in(club).slice(before)
      return own.length === 3 && own[0]?.edits === 1 && own.map(({content, body}) => [content, body?.embeds])
    })
    const embeds = Array.from({length: 12}, (_, n) => ({title: `card ${n}`}))
    const text = embeds.map(({title}) => `**${title}**`).join("\n")
    expect(shown).toEqual([
      [text, []],
      ["", embeds.slice(0, 10)],
      ["", embeds.slice(10)],
    ])
  })

  test("replies to a message, and reads which message a reply quotes", async () => {
    const quoting = await ask("!quote")
    expect(quoting.reference).toBe(
      given()
        .fake.world.in(club)
        .findLast(({content}) => content === "!quote")?.id,
    )
    const {host, fake} = given()
    fake.write({channel: club, content: "I see", reference: quoting.id})
    const {event} = await untilEvent(host, "the answer", ({event}) => event.message?.content.endsWith("I see") === true)
    expect(event.message?.content).toBe(
      `<quote id="${quoting.id}"><author id="999" name="test-bot"/>what you said</quote>I see`,
    )
  })

  test("edits, deletes and reacts, and receives edits, deletions and reactions", async () => {
    const {fake, host} = given()
    await ask("!draft")
    await until("the edit", () => saidIn(fake, club).at(-1) === "final")
    fake.write({channel: club, content: "!wipe"})
    await until("the deletion", () =>
      fake.requests.received.some(({method}) => /^DELETE .*\/messages\/\d+$/.test(method)),
    )
    const liked = fake.write({channel: club, content: "!like"})
    await until("the reaction", () => fake.world.messages.get(liked.id)?.reactions.length === 1)

    const said = fake.write({channel: club, content: "one"})
    fake.edit(said.id, "two")
    fake.react(said.id, "🎉")
    fake.react(said.id, "🎉", false)
    fake.remove(said.id)
    await untilEvent(
      host,
      "the deletion",
      ({event}) => event.type === "message-deleted" && event.message?.id === said.id,
    )
    const events = (await inboxOf(host)).filter(({event}) => event.message?.id === said.id)
    expect(events.map(({event: {type, message, emoji}}) => [type, emoji?.id ?? message?.content])).toEqual([
      ["message-created", "one"],
      ["message-updated", "two"],
      ["reaction-added", "🎉"],
      ["reaction-removed", "🎉"],
      ["message-deleted", ""],
    ])
    // The bot receives no events for its own messages and edits.
    expect((await inboxOf(host)).filter(({event}) => event.user?.id === "999")).toEqual([])
  })

  /** The ids of a message's buttons or menu options. */
  const idsIn = (components: readonly unknown[]): readonly string[] =>
    (JSON.stringify(components).match(/"(?:custom_id|value)":"[^"]+"/g) ?? [])
      .map(each => JSON.parse(`{${each}}`))
      .flatMap(each => Object.values(each) as string[])

  test("acknowledges a press once it is stored, and runs its handler", async () => {
    const {fake, host} = given()
    const {components, id} = await ask("!paint")
    expect(components).toMatchObject([
      {
        components: [
          {style: 4, label: "Red"},
          {style: 2, label: "Blue"},
        ],
      },
    ])
    const [red = ""] = idsIn(components)
    await host.post("/api/ingress/pause")
    const press = fake.interact({type: 3, data: {component_type: 2, custom_id: red}, message: {id, content: ""}})
    fake.write({channel: club, content: "behind the press"})
    await until("the ingress to be paused", async () => (await host.fetch("/api/ingress")).ok)
    expect(fake.callbacks).toEqual([])
    await host.post("/api/ingress/resume")
    await until("the acknowledgement", () => fake.callbacks.length === 1)
    expect(fake.callbacks).toEqual([{id: press, body: {type: 6}}])
    await until("the answer to the press", () => saidIn(fake, club).at(-1) === "Ann takes red")
    await untilEvent(host, "the message", ({event}) => event.message?.content === "behind the press")
    const {event} = await untilEvent(host, "the press", each => each.event.type === "interaction/button")
    expect(event.user).toMatchObject({id: "42", locale: "de"})
  })

  test("shows a menu and handles a choice as a press", async () => {
    const {fake} = given()
    const {components} = await ask("!menu")
    const [menu, , blue] = idsIn(components)
    fake.interact({type: 3, data: {component_type: 3, custom_id: menu, values: [blue]}})
    await until("the answer to the choice", () => saidIn(fake, club).at(-1) === "Ann takes blue")
  })

  test("opens a form and passes the submitted values to the handler", async () => {
    const {fake} = given()
    const {components} = await ask("!join")
    const [button] = idsIn(components)
    const before = fake.callbacks.length
    fake.interact({type: 3, data: {component_type: 2, custom_id: button}})
    await until("the form", () => fake.callbacks.length > before)
    const opened = fake.callbacks.at(-1)?.body as {
      readonly type: number
      readonly data: {readonly components: readonly unknown[]}
    }
    expect(opened).toMatchObject({type: 9, data: {custom_id: button}})
    expect(opened.data.components).toMatchObject([
      {type: 18, label: "Your name?", component: {type: 4, custom_id: "name", required: true}},
      {type: 18, label: "News?", component: {type: 3, custom_id: "news", required: false}},
    ])
    const filled = [
      {type: 18, component: {type: 4, custom_id: "name", value: "Ann"}},
      {type: 18, component: {type: 3, custom_id: "news", values: ["yes"]}},
    ]
    fake.interact({type: 5, data: {custom_id: button, components: filled}})
    await until("the welcome", () => saidIn(fake, club).at(-1) === "welcome Ann with news")
  })

  test("registers its commands, and handles one that a user picks from the list", async () => {
    const {fake} = given()
    const listed = await until("the commands", () => fake.world.commands.get("999"))
    expect(listed).toContainEqual(expect.objectContaining({name: "greet", description: "Say hello", type: 1}))
    const before = fake.callbacks.length
    fake.interact({type: 2, data: {name: "greet", options: [{type: 3, name: "text", value: "Eve"}]}})
    await until("the answer", () => saidIn(fake, club).at(-1) === "hello Eve")
    expect(fake.callbacks[before]?.body).toEqual({type: 5, data: {flags: 64}})
    await until("the deferred answer to be edited", () =>
      fake.requests.received.some(({method}) => method.endsWith("/messages/@original")),
    )
  })

  test("accepts interactions over HTTP only with Discord's signature, and handles each one once", async () => {
    const {fake, host} = given()
    const post = (interaction: object, {age = 0, by = keys.privateKey} = {}) => {
      const body = JSON.stringify(interaction)
      const timestamp = String(Math.floor(Date.now() / 1000) - age)
      const signature = sign(null, Buffer.from(timestamp + body), by).toString("hex")
      return fetch(`${host.url}/hooks/discord/discord~one`, {
        method: "POST",
        headers: {"x-signature-ed25519": signature, "x-signature-timestamp": timestamp},
        body,
      })
    }
    const ping = await post({type: 1, id: "1", application_id: "999", token: "t"})
    expect([ping.status, await ping.json()]).toEqual([200, {type: 1}])
    await expectProblem(await post({type: 1}, {age: 301}), 403, "signature_invalid")
    await expectProblem(
      await post({type: 1}, {by: generateKeyPairSync("ed25519").privateKey}),
      403,
      "signature_invalid",
    )
    await expectProblem(await post({type: 99}), 400, "request_invalid")

    const {components} = await ask("!paint")
    const [red = ""] = idsIn(components)
    const before = saidIn(fake, club).length
    const press = fake.interactionOf({type: 3, data: {component_type: 2, custom_id: red}})
    for (let time = 0; time < 2; time++) {
      const answer = await post(press)
      expect([answer.status, await answer.json()]).toEqual([200, {type: 6}])
    }
    const called = await post(fake.interactionOf({type: 2, data: {name: "greet", options: [{type: 3, value: "Zoe"}]}}))
    expect(await called.json()).toEqual({type: 5, data: {flags: 64}})
    await until("both answers", () => saidIn(fake, club).length === before + 2)
    expect(saidIn(fake, club).slice(-2)).toEqual(["Ann takes red", "hello Zoe"])
  })

  test("waits as long as Discord's rate limits demand, per route and globally", async () => {
    const {fake} = given()
    for (const isGlobal of [false, true]) {
      fake.slowDown(600, isGlobal)
      const asked = Date.now()
      const {at} = await ask("!greet Bob")
      expect(at - asked).toBeGreaterThanOrEqual(590)
    }
  })

  test("skips payloads that it cannot read, and keeps answering", async () => {
    const {fake} = given()
    fake.dispatch("NEWS_OF_2031", {a: 1})
    fake.dispatch("MESSAGE_CREATE", {guild_id: "500", id: 5, content: {}, author: "ann"})
    fake.dispatch("MESSAGE_CREATE", {
      guild_id: "500",
      id: "5",
      channel_id: "600",
      author: {id: "42"},
      content: 7,
      attachments: 7,
    })
    fake.dispatch("INTERACTION_CREATE", {id: "6", type: 3})
    fake.dispatch("GUILD_CREATE", {channels: "many"})
    fake.dispatch("MESSAGE_CREATE", {
      guild_id: "500",
      id: "7",
      channel_id: "600",
      author: {id: "42"},
      content: "x".repeat(10_000_000),
    })
    expect((await ask("!greet Bob")).content).toBe("hello Bob")
  })

  test.each([
    ["is cut", "cut"],
    ["is asked to reconnect", "move"],
    ["receives invalid JSON", "junk"],
  ] as const)("resumes its session and misses nothing when a connection %s", async (_, what) => {
    const {fake, host} = given()
    const {identified, resumed} = fake.sessions
    if (what === "cut") fake.sessions.cut()
    else if (what === "move") fake.sessions.move()
    else fake.sessions.all('{"op": 0, "t": "MESSAGE_CR')
    const said = fake.write({channel: club, content: `said when it ${what}`})
    await untilEvent(host, "the message sent meanwhile", ({event}) => event.message?.id === said.id)
    await until("the session to be resumed", () => fake.sessions.resumed === resumed + 1)
    expect(fake.sessions.identified).toBe(identified)
    expect((await ask("!greet Bob")).content).toBe("hello Bob")
    const gaps = await until("the gap to end", async () => {
      const all = await gapsOf(host)
      return all.every(({to}) => to !== null) && all
    })
    expect(gaps[0]).toMatchObject({backfill: "filled"})
    expect(fake.requests.received.filter(({method}) => method.startsWith("GET /channels/"))).toEqual([])
  })

  test("svc adapter check lists what the account is allowed to do", async () => {
    const {fake, host} = given()
    fake.world.permissions = "1024"
    fake.world.application = {flags: 0, verify_key: "ab".repeat(32)}
    const {code, stdout} = await svc(runtime, host.project, ["adapter", "check", "discord~one"], {env: tokens})
    expect(code).toBe(1)
    expect(stdout).toContain("ok      credentials: the bot test-bot (999)")
    expect(stdout).toMatch(/ERROR {3}intent message_content.*\n.*Turn on Message Content Intent at https:\/\/discord/)
    expect(stdout).toMatch(/ERROR {3}publicKey: .*\n.*Set publicKey to abab/)
    expect(stdout).toContain("ok      interactions: by the gateway")
    expect(stdout).toMatch(/ERROR {3}permissions in Club: missing: Send Messages, Embed Links/)
    expect(stdout).not.toContain(tokens.DISCORD_TOKEN)
    expect(fake.sessions.connections).toBe(1)
  })
})
