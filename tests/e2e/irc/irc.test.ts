import {expect, test} from "vitest"
import {bunOr, haveEnded, story, until} from "../../support/host/host.ts"
import {lounge, meetInLounge, startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {type IrcServerName, joinIrc, type Person, startIrcServer} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"

const servers: readonly IrcServerName[] = ["ngircd", "inspircd"]
const cases = bunOr("node22").flatMap(runtime => servers.map(server => ({runtime, server, on: runtime.name})))

/** Waits until the bot has said enough in #lounge. Resolves to its lines. */
const heardInLounge = async (person: Person, enough: (texts: readonly string[]) => boolean) =>
  until("enough lines of the bot", () => {
    const texts = person.heard("svcbot", "#lounge")
    return enough(texts) && texts
  })

const meet = (name: IrcServerName, options = {}) => meetInLounge(name, {penalties: true, ...options})

describeWith("ngircd", "inspircd")("a bot on IRC", () => {
  test.each(cases)("answers in a channel and in private on $server, run by $on", story, async ({server, runtime}) => {
    const {person} = await meet(server, {runtime})
    expect(await person.asks("svcbot", "#lounge", "!greet Bob")).toBe("hello Bob")
    expect(await person.asks("svcbot", "#lounge", "svcbot: greet Carol")).toBe("hello Carol")
    expect(await person.asks("svcbot", "svcbot", "greet Dora")).toBe("hello Dora")
    expect(await person.asks("svcbot", "svcbot", "\x02\x0304greet\x0f Émil")).toBe("hello Émil")
    expect(await person.asks("svcbot", "#lounge", "!greet")).toContain("Usage: !greet <name>")
    expect(await person.asks("svcbot", "#lounge", "svcbot: gret Bob")).toContain("Did you mean svcbot: greet?")
    person.say("#lounge", "!card")
    const card = ["- one", "- two <@43>", "\x02Build <7>\x02", "It failed.", "\x02Branch:\x02 main"]
    expect(await heardInLounge(person, texts => texts.includes(card.at(-1) ?? ""))).toEqual(
      expect.arrayContaining(card),
    )
    person.say("#lounge", "!help")
    expect(await heardInLounge(person, texts => texts.includes("!greet <name>: Say hello"))).toContain("Commands:")
  })

  test.each(servers)("tells the ranks of a user in a channel of %s, also when they change", async name => {
    const {server, person, host} = await meet(name)
    const bob = await joinIrc(server, "bob", {channel: "#lounge"})
    const rolesOf = async (who: Person, text: string, target = "#lounge") => {
      who.say(target, text)
      const find = async () => (await host.get("/api/inbox")).items.find(({event}) => event.message?.content === text)
      return (await until(text, find)).event.user?.roles?.toSorted()
    }
    expect([await rolesOf(person, "first"), await rolesOf(person, "alone", "svcbot")]).toEqual([["op"], undefined])
    person.write("NICK Alice2")
    person.write("MODE #lounge +vo alice2 BOB")
    await bob.sees(/ MODE #lounge \+vo /)
    expect([await rolesOf(person, "renamed"), await rolesOf(bob, "raised")]).toEqual([["op", "voice"], ["op"]])
    person.write("MODE #lounge -o bob")
    await bob.sees(/ MODE #lounge -o /)
    expect(await rolesOf(bob, "lowered")).toBeUndefined()
    person.write("PART #lounge")
    person.write("JOIN #lounge")
    await bob.sees(/^:Alice2!\S+ JOIN /)
    expect(await rolesOf(person, "back")).toBeUndefined()
  })

  test("shows buttons as a list in a channel, which a number answers", async () => {
    const {person} = await meet("ngircd")
    person.say("#lounge", "!paint")
    expect(await heardInLounge(person, texts => texts.length === 3)).toEqual(["Which?", "1. Red", "2. Blue"])
    person.say("#lounge", "2")
    await person.sees(/^:svcbot!\S+ PRIVMSG #lounge :alice takes blue/)
  })

  test("starts a private conversation, and fails a message to an unknown nick", async () => {
    const {person, host} = await meet("ngircd")
    person.say("#lounge", "!whisper alice psst")
    await person.sees(/^:svcbot!\S+ PRIVMSG alice :psst/)
    person.say("#lounge", "!whisper nobody psst")
    const {items} = await until("the message to nobody to fail", async () => {
      const page = await host.get("/api/outbox")
      return page.items[0]?.state === "failed" && page
    })
    expect(items[0]).toMatchObject({channel: "nobody", state: "failed", error: expect.stringMatching(/no such nick/i)})
  })

  test("answers on two servers with two accounts at once", async () => {
    const [one, other] = await Promise.all(servers.map(name => startIrcServer(name, {penalties: true})))
    if (one === undefined || other === undefined) throw new Error("two servers were started")
    const alice = await joinIrc(one, "alice", {channel: "#lounge"})
    const bob = await joinIrc(other, "bob", {channel: "#lounge"})
    await startIrcHost([
      {id: "one", port: one.port, ...lounge},
      {id: "other", port: other.port, ...lounge, nick: "otherbot"},
    ])
    await Promise.all([alice.sees(/^:svcbot!\S+ JOIN/), bob.sees(/^:otherbot!\S+ JOIN/)])
    const answers = [
      alice.asks("svcbot", "#lounge", "!greet Alice"),
      bob.asks("otherbot", "#lounge", "!greet Bob"),
      bob.asks("otherbot", "otherbot", "greet Bob"),
    ]
    expect(await Promise.all(answers)).toEqual(["hello Alice", "hello Bob", "hello Bob"])
    expect(alice.heard("svcbot", "#lounge")).toEqual(["hello Alice"])
  })

  test("sends a line break in its text as another message, never as a command", async () => {
    const {person, host} = await meet("ngircd")
    person.say("#lounge", "!inject")
    const texts = await heardInLounge(person, ({length}) => length >= 4)
    expect(texts).toEqual(["one", "JOIN #elsewhere", "QUIT :gone", "NICK other"])
    expect((await untilEndpoint(host, "main", "online")).login?.user?.id).toBe("svcbot")
    person.write("WHOIS svcbot")
    expect(await person.sees(/^\S+ 319 /)).not.toContain("#elsewhere")
  })

  test.each(servers)("splits a long answer so that %s passes on every part complete", async name => {
    const {person} = await meet(name)
    const words = Array.from({length: 200}, (_, i) => `wörd${i + 1}`).join(" ")
    person.say("#lounge", "!long 200")
    const texts = await heardInLounge(person, all => all.join(" ").length >= words.length)
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.join(" ")).toBe(words)

    person.say("svcbot", "unbroken 1000")
    await until("the whole word", () => person.heard("svcbot").join("").length >= 1000)
    expect(person.heard("svcbot").join("")).toBe("é".repeat(1000))
    expect(Math.max(...person.lines.map(line => Buffer.byteLength(line)))).toBeLessThanOrEqual(510)
  })

  test("handles a flood of lines in order and loses none", async () => {
    const {person, host} = await meet("inspircd")
    for (let n = 1; n <= 300; n++) person.say("#lounge", `count ${n}`)
    expect(await person.asks("svcbot", "#lounge", "!counted")).toBe("300 in order")
    const items = await until("all handlers to end", async () => {
      const page = await host.get("/api/inbox", {limit: 301})
      return haveEnded(page.items) && page.items
    })
    expect(items.map(({event}) => event.message?.content)).toEqual([
      "!counted",
      ...Array.from({length: 300}, (_, i) => `count ${300 - i}`),
    ])
    expect(new Set(items.map(({state}) => state))).toEqual(new Set(["handled"]))
  })
})
