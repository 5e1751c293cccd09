import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {Chance, seedOf, type TestHost, until, untilIdle, usuallyOn} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {describeWithDendrite, type Homeserver, startDendrite} from "../../support/platforms/matrix/dendrite.ts"
import {openGate} from "../../support/platforms/matrix/gate.ts"
import {startMatrixHost, untilEndpoint} from "../../support/platforms/matrix/host.ts"
import {Person} from "../../support/platforms/matrix/person.ts"

const runtime = usuallyOn("node22")
const run = faultRun("matrix-kills")
const {rounds, seed} = run

const kill = async ({process}: TestHost): Promise<void> => {
  process.child.kill("SIGKILL")
  await process.finished
}

describeWithDendrite("a homeserver that forgets its transactions", () => {
  /** A bot, a user, and `count` rooms of a homeserver. */
  const meet = async (homeserver: Homeserver, rooms: number) => {
    const [bot, ann] = await Promise.all([Person.register(homeserver, "bot"), Person.register(homeserver, "ann")])
    const made: string[] = []
    for (let n = 0; n < rooms; n++) {
      const users = {[ann.id]: 100, [bot.id]: 50}
      made.push(await ann.createRoom({preset: "public_chat", power_level_content_override: {users}}))
      await bot.join(made.at(-1) ?? "")
    }
    return {bot, ann, rooms: made}
  }

  test("does each act once, though its response was lost and both the Host and the homeserver were killed", async () => {
    const homeserver = await startDendrite()
    const {bot, ann, rooms} = await meet(homeserver, 1)
    const [room = ""] = rooms
    const gate = await openGate(homeserver.url)
    const options = {runtime, env: {BOT_TOKEN: bot.token}}
    const accounts = [{id: "main", homeserver: gate.url, accessToken: "${BOT_TOKEN}"}]
    let host = await startMatrixHost(accounts, {...options, own: true})
    await untilEndpoint(host, "main", "online")
    const acts = [
      {say: "!greet Ada", asks: /^PUT .*\/send\/m\.room\.message\//},
      {say: (own: string) => `!correct ${own}`, asks: /^PUT .*\/send\/m\.room\.message\//},
      {say: "!like", asks: /^PUT .*\/send\/m\.reaction\//},
      {say: (own: string) => `!clear ${own}`, asks: /^PUT .*\/redact\//},
    ]
    const own = async () => {
      await ann.settle(room)
      return (await ann.events(room)).filter(({sender, state_key}) => sender === bot.id && state_key === undefined)
    }
    const counts: number[] = []
    for (const {say, asks} of acts) {
      const asked = () => gate.asked.filter(({method, path}) => asks.test(`${method} ${path}`)).length
      const [first] = await own()
      const before = counts.at(-1) ?? 0
      const askedBefore = asked()
      gate.withholdNext(asks)
      await ann.say(room, typeof say === "string" ? say : say(first?.event_id ?? ""))
      await until("the act at the homeserver", async () => (await own()).length > before)
      await kill(host)
      await homeserver.kill()
      await homeserver.start()
      host = await startMatrixHost(accounts, {...options, own: true, project: host.project})
      await untilEndpoint(host, "main", "online")
      await untilIdle(host)
      counts.push((await own()).length)
      expect(asked()).toBe(askedBefore + 1)
    }
    expect(counts).toEqual([1, 2, 3, 4])
    const {items} = await host.get("/api/outbox")
    expect(items.map(({state, attempt}) => [state, attempt])).toEqual(acts.map(() => ["sent", 2]))
    const [message] = items.toSorted((one, other) => one.id.localeCompare(other.id))
    expect(await host.get("/api/outbox/:id", {id: message?.id ?? ""})).toMatchObject({
      platformIds: [(await own())[0]?.event_id],
    })
  })

  test(
    `sends each message once and in order, across ${rounds} kills of the Host (seed ${seed})`,
    async () => {
      tellHowToRepeat(run)
      const chance = new Chance(seedOf(seed, runtime.name))
      const homeserver = await startDendrite()
      const {bot, ann, rooms} = await meet(homeserver, 6)
      const options = {runtime, env: {BOT_TOKEN: bot.token}}
      const accounts = [{id: "main", homeserver: homeserver.url, accessToken: "${BOT_TOKEN}"}]
      let host = await startMatrixHost(accounts, {...options, own: true})
      await untilEndpoint(host, "main", "online")
      const expected = new Map(rooms.map(room => [room, [] as string[]]))
      for (let n = 0; n < rounds; n++) {
        for (let k = 0; k < 5; k++) {
          const text = `${n}.${k}`
          await Promise.all(
            rooms.map(channel => host.post("/api/outbox", {body: {endpoint: "matrix~main", channel, text}})),
          )
          for (const texts of expected.values()) texts.push(text)
        }
        await sleep(chance.below(150))
        await kill(host)
        host = await startMatrixHost(accounts, {...options, own: true, project: host.project})
        await untilEndpoint(host, "main", "online")
        await untilIdle(host)
      }
      for (const [room, texts] of expected) expect((await ann.heard(room, bot.id)).map(({body}) => body)).toEqual(texts)
    },
    120_000 + rounds * 30_000,
  )
})
