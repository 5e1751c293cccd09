import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {Chance, seedOf, shared, type TestHost, until, untilIdle, usuallyOn} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {describeWithDendrite, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {
  bridgeProject,
  club,
  copyAtDiscord,
  copyAtMatrix,
  editAtMatrix,
  meetPeople,
  quoteAtMatrix,
  shownAtDiscord,
  shownAtMatrix,
  startBridge,
} from "./bridge-world.ts"

const runtime = usuallyOn("node22")
const run = faultRun("bridge-kills")
const {rounds, seed} = run

describeWithDendrite("the bridge between a Matrix room and a channel of a fake Discord", () => {
  const homeserver = shared(startDendrite)
  const given = shared(async () => {
    const people = await meetPeople(homeserver())
    const options = bridgeProject(people, {bot: people.bot, discordBot: "999"})
    return {...people, people, host: await startBridge(options, runtime)}
  })

  test("carries markup and mentions in both directions", async () => {
    const {people, discord, room, ann, bob} = given()
    await ann.send(room, {
      msgtype: "m.text",
      body: "loud for Bob",
      format: "org.matrix.custom.html",
      formatted_body: `<strong>loud</strong> for <a href="https://matrix.to/#/${encodeURIComponent(bob.id)}">Bob</a>`,
    })
    expect((await copyAtDiscord(discord, "Bob")).text).toMatch(/^\*\*ann-\w+\*\*: \*\*loud\*\* for @?Bob$/)
    discord.write({channel: club, content: "**loud** for <@43>!", mentions: ["43"]})
    const {content} = await copyAtMatrix(people, "user43!")
    expect(content).toMatchObject({
      body: "user42: loud for @user43!",
      formatted_body: "<strong>user42</strong>: <strong>loud</strong> for @user43!",
    })
    expect(JSON.stringify(content)).not.toContain('m.mentions":{"user_ids')
  })

  test("carries edits, deletions, and quotes of originals and copies in both directions", async () => {
    const {people, discord, room, ann} = given()
    const hers = await ann.say(room, "hers")
    const herCopy = await copyAtDiscord(discord, "hers")
    const his = discord.write({channel: club, content: "his"})
    const hisCopy = await copyAtMatrix(people, "his")

    await quoteAtMatrix(ann, room, hisCopy.id, "to his copy")
    expect((await copyAtDiscord(discord, "to his copy")).quote).toBe(his.id)
    await quoteAtMatrix(ann, room, hers, "to her own")
    expect((await copyAtDiscord(discord, "to her own")).quote).toBe(herCopy.id)
    discord.write({channel: club, content: "to her copy", reference: herCopy.id})
    expect((await copyAtMatrix(people, "to her copy")).quote).toBe(hers)
    discord.write({channel: club, content: "to his own", reference: his.id})
    expect((await copyAtMatrix(people, "to his own")).quote).toBe(hisCopy.id)

    await editAtMatrix(ann, room, hers, "hers, better")
    expect((await copyAtDiscord(discord, "hers, better")).id).toBe(herCopy.id)
    discord.edit(his.id, "his, better")
    expect((await copyAtMatrix(people, "his, better")).id).toBe(hisCopy.id)

    await ann.redact(room, hers)
    await until("her copy to be deleted", () => !discord.world.messages.has(herCopy.id))
    discord.remove(his.id)
    await until("his copy to be deleted", async () =>
      (await shownAtMatrix(people, people.bot)).every(({id}) => id !== hisCopy.id),
    )
  })

  test("carries pictures and files in both directions, byte for byte", async () => {
    const {people, discord, room, ann} = given()
    const kinds = [
      {name: "cat.png", type: "image/png", msgtype: "m.image"},
      {name: "plan.pdf", type: "application/pdf", msgtype: "m.file"},
    ]
    for (const {name, type, msgtype} of kinds) {
      const bytes = new TextEncoder().encode(`the bytes of ${name}`)
      const url = await ann.upload(name, type, bytes)
      await ann.send(room, {msgtype, body: name, url, info: {mimetype: type, size: bytes.length}})
      const [sent] = await until(`${name} in the channel`, () =>
        discord.world
          .in(club)
          .map(({files}) => files.filter(file => file.name === name))
          .find(({length}) => length > 0),
      )
      expect(sent?.bytes).toEqual(bytes)

      discord.write({channel: club, content: "look", files: [{id: discord.world.makeId(), name, type, bytes}]})
      const {content} = await until(`${name} in the room`, async () =>
        (await shownAtMatrix(people, people.bot)).find(
          ({content}) => content.filename === name || content.body === name,
        ),
      )
      expect(content).toMatchObject({msgtype, info: {mimetype: type}})
      expect(await ann.download(content.url)).toEqual(bytes)
    }
  })

  test("does not carry messages of bots, and two bridges do not answer each other", async () => {
    const {people, discord, room, ann, otherBot, host} = given()
    const second = await startBridge(bridgeProject(people, {bot: otherBot, discordBot: "998"}), runtime)
    discord.write({channel: club, content: "beep", author: {id: "77", username: "beeper", bot: true}})
    await otherBot.send(room, {msgtype: "m.notice", body: "boop"})
    await ann.say(room, "hello from the room")
    discord.write({channel: club, content: "hello from the channel"})
    for (const [bot, id] of [
      [people.bot, "999"],
      [otherBot, "998"],
    ] as const) {
      await copyAtDiscord(discord, "hello from the room", id)
      await copyAtMatrix(people, "hello from the channel", bot)
    }
    // A second message arrives after everything that a bridge could make of the first ones.
    await ann.say(room, "the end")
    discord.write({channel: club, content: "the end"})
    for (const bridge of [host, second]) await untilIdle(bridge)
    for (const [bot, id] of [
      [people.bot, "999"],
      [otherBot, "998"],
    ] as const) {
      await copyAtDiscord(discord, "the end", id)
      await copyAtMatrix(people, "the end", bot)
      const since = <T extends {text: string}>(all: readonly T[]) =>
        all.slice(all.findIndex(({text}) => text.includes("hello from"))).map(({text}) => text.replace(/^.*?: /, ""))
      expect(since(shownAtDiscord(discord, id))).toEqual(["hello from the room", "the end"])
      expect(since(await shownAtMatrix(people, bot))).toEqual(["hello from the channel", "the end"])
    }
    expect((await second.stop()).code).toBe(0)
  })

  test(
    `shows each message once, in order, with edits and quotes, after ${rounds} kills (seed ${seed})`,
    async () => {
      tellHowToRepeat(run)
      const chance = new Chance(seedOf(seed, runtime.name))
      const people = await meetPeople(homeserver())
      const {discord, room, ann, bot} = people
      const options = bridgeProject(people, {bot, discordBot: "999"})
      let host: TestHost = await startBridge(options, runtime, true)
      /** The messages that the other side must show, in order. */
      const expected: Record<"room" | "channel", {text: string; quotes?: string}[]> = {room: [], channel: []}
      /** On each side, five messages: one stays, one is edited, one is deleted, one quotes the first, one is a file. */
      const talk = async (n: number) => {
        const kept = await ann.say(room, `a${n} kept`)
        const edited = await ann.say(room, `a${n} first`)
        const deleted = await ann.say(room, `a${n} deleted`)
        await quoteAtMatrix(ann, room, kept, `a${n} quotes`)
        const url = await ann.upload(`a${n}.png`, "image/png", new TextEncoder().encode(`a${n}`))
        await ann.send(room, {msgtype: "m.image", body: `a${n}.png`, url, info: {mimetype: "image/png"}})
        const his = ["kept", "first", "deleted"].map(
          what => discord.write({channel: club, content: `d${n} ${what}`}).id,
        )
        const [keptThere = "", editedThere = "", deletedThere = ""] = his
        discord.write({channel: club, content: `d${n} quotes`, reference: keptThere})
        const file = {id: discord.world.makeId(), name: `d${n}.png`, type: "image/png", bytes: new Uint8Array([n])}
        discord.write({channel: club, content: `d${n} file`, files: [file]})
        await editAtMatrix(ann, room, edited, `a${n} second`)
        await ann.redact(room, deleted)
        discord.edit(editedThere, `d${n} second`)
        discord.remove(deletedThere)
        const texts = (who: string) => [
          {text: `${who}${n} kept`},
          {text: `${who}${n} second`},
          {text: `${who}${n} quotes`, quotes: `${who}${n} kept`},
          {text: who === "a" ? "" : `${who}${n} file`},
          {text: `${who}${n} over`},
        ]
        expected.channel.push(...texts("a"))
        expected.room.push(...texts("d"))
      }
      const began = performance.now()
      for (let n = 0; n < rounds; n++) {
        const talking = talk(n)
        await sleep(chance.below(600))
        await host.stop("SIGKILL")
        await talking
        host = await startBridge(options, runtime, true)
        // Once this last message has arrived, so has everything before it. Otherwise an event could run at two kills in
        // a row and be dead until an operator retries it.
        await ann.say(room, `a${n} over`)
        discord.write({channel: club, content: `d${n} over`})
        await copyAtDiscord(discord, `a${n} over`)
        await copyAtMatrix(people, `d${n} over`)
      }
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      await untilIdle(host)
      for (const state of ["failed", "dead"]) expect((await host.get("/api/inbox", {state})).items).toEqual([])
      for (const state of ["failed", "unknown"]) expect((await host.get("/api/outbox", {state})).items).toEqual([])
      const told = (all: readonly {id: string; text: string; quote?: string}[]) => {
        const bare = (text: string) => text.replace(/^.*?: ?/, "")
        const textOf = new Map(all.map(({id, text}) => [id, bare(text)]))
        return all.map(({text, quote}) => ({
          text: bare(text),
          ...(quote === undefined ? {} : {quotes: textOf.get(quote)}),
        }))
      }
      expect(told(shownAtDiscord(discord))).toEqual(expected.channel)
      expect(told(await shownAtMatrix(people, bot))).toEqual(expected.room)
      const files = discord.world.in(club).flatMap(({author, files}) => (author.id === "999" ? files : []))
      expect(files.map(({bytes}) => new TextDecoder().decode(bytes))).toEqual(
        Array.from({length: rounds}, (_, n) => `a${n}`),
      )
      process.stdout.write(`seed ${seed}: ${rounds} kills in ${seconds} s; ${rounds * 12} messages\n`)
    },
    180_000 + rounds * 30_000,
  )
})
