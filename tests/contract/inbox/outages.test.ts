import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import type {Past} from "../../../server/endpoints/pasts.ts"
import type {Dispatch} from "../../../server/inbox/intake/handling.ts"
import type {Span} from "../../../server/runtime/flow/clock.ts"
import {engines, open, readLines, until} from "../../support/database/databases.ts"
import {incoming, lineSpec} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const [minute, hour] = [60_000, 3_600_000]
const start = "2026-11-29T12:00:00Z"
const noon = Date.parse(start)
const hear = "root/bot/handler/hear"

interface Options {
  readonly ingress?: {readonly askAfter?: string; readonly askFor?: string}
  readonly pasts?: Readonly<Record<string, Past>>
  readonly pauses?: readonly Span[]
  /** The age limit of the handler, in milliseconds. */
  readonly limit?: number
  readonly at?: string
  readonly isStuck?: boolean
}

/** A run of a Host with one handler, which notes the texts of its events. */
const run = async (database: Database, options: Options = {}) => {
  const {ingress = {askAfter: "10m"}, pasts = {}, pauses = [], limit, at = start, isStuck = false} = options
  const clock = new HandClock(at)
  const ran: string[] = []
  const dispatch: Partial<Dispatch> = {
    match: () => [hear],
    ages: {limitOf: () => limit, noticeOf: async () => undefined},
    run: hearing(async ({event}) => {
      if (isStuck) await new Promise(() => {})
      ran.push(event.message?.content ?? event.type)
    }),
  }
  const outages = {asking: () => ingress, pastOf: (name: string) => pasts[name] ?? {}}
  const {inbox} = await startInbox(database, dispatch, {clock, uncounted: () => pauses, outages})
  const endpointOf = (name: string) =>
    new Endpoint(lineSpec({name, open: () => new Promise(() => {})}), {
      receive: (...args) => inbox.receiveAll(...args),
      online: () => {},
      past: () => pasts[name] ?? {},
    })
  const [line, other] = [endpointOf("line"), endpointOf("other")]
  const say = (text: string, age: number, {channel = "c", endpoint = line, id = text} = {}) =>
    inbox.receive(
      endpoint,
      incoming(id, {channel: {id: channel, type: 0}, message: {id, content: text}, timestamp: clock.now() - age}),
    )
  const states = () =>
    readLines(database, "SELECT state, iif(state = 'held', error, NULL) AS error FROM inbox_marks ORDER BY seq")
  const statesAre = (expected: readonly string[]) =>
    until(`${expected}`, async () => `${await states()}` === `${expected}`).catch(async () =>
      expect(await states()).toEqual(expected),
    )
  return {inbox, clock, ran, line, other, say, states, statesAre}
}

const away = (from: number, to = noon): Past => ({away: {from: noon - from, to}})

/** A run that ended with two waiting messages, the first of which had begun. */
const killed = async (database: Database) => {
  const {say, states} = await run(database, {ingress: {}, isStuck: true})
  for (const text of ["one", "two"]) await say(text, 0)
  await until("the first handler", async () => (await states())[0] === "running")
}

describe.each(engines)("after a long outage on $name", ({make}) => {
  const begin = async (options?: Options) => run(await open(await make()), options)

  test("old events wait for a person, and new ones of their conversation behind them", async () => {
    const {say, ran, statesAre, inbox, other} = await begin({pasts: {line: away(20 * hour)}})
    await say("1", 19 * hour)
    await say("2", 1)
    await say("3", 0)
    await say("elsewhere", 0, {channel: "d"})
    await say("other", hour, {endpoint: other})
    await statesAre(["held outage", "held outage", "held behind", "handled", "handled"])
    expect(ran.splice(0)).toEqual(["elsewhere", "other"])
    await inbox.act("release", "held")
    await say("4", 0)
    await statesAre(["handled", "handled", "handled", "handled", "handled", "handled"])
    expect(ran).toEqual(["1", "2", "3", "4"])
    await say("late", minute)
    await statesAre([...Array(6).fill("handled"), "held outage"])
  })

  test("new events run once the old ones of their conversation are discarded", async () => {
    const {say, ran, statesAre, inbox, clock} = await begin({pasts: {line: away(20 * hour)}})
    const one = await say("1", hour)
    const two = await say("2", hour)
    await say("3", 0)
    await inbox.act("discard", {seq: one.sn})
    await statesAre(["discarded", "held outage", "held behind"])
    await inbox.act("discard", {seq: two.sn})
    await statesAre(["discarded", "discarded", "handled"])
    await say("4", 0)
    await statesAre(["discarded", "discarded", "handled", "handled"])
    expect(ran).toEqual(["3", "4"])
    expect(clock.waiting).toBe(0)
  })

  test("what waited when the Host ended is held, over another restart too; a timer is not", async () => {
    const database = await open(await make())
    await killed(database)
    const firing = {
      endpoint: "line",
      conversation: "c",
      handler: hear,
      id: "t",
      type: "timer",
      timestamp: noon,
      data: 0,
    }
    const {inbox} = await run(database, {isStuck: true})
    await inbox.fire([firing], {before: [], after: []})
    await database.write([{sql: "UPDATE inbox_marks SET state = 'pending', attempt = 0"}])
    const second = await run(database, {pasts: {line: {awaySince: noon - hour}}})
    await second.statesAre(["held outage", "held outage", "handled"])
    const third = await run(database, {pasts: {line: {awaySince: noon - minute}}})
    await third.say("three", 0)
    await third.statesAre(["held outage", "held outage", "handled", "held behind"])
    await third.inbox.act("release", "held")
    await third.statesAre(["handled", "handled", "handled", "handled"])
    expect([second.ran, third.ran]).toEqual([["timer"], ["one", "two", "three"]])
  })

  test("what a person had released before a kill runs", async () => {
    const database = await open(await make())
    await killed(database)
    await database.write([{sql: "UPDATE inbox_marks SET state = 'pending', any_age = 1 WHERE seq = 1"}])
    const {statesAre} = await run(database, {pasts: {line: {awaySince: noon - hour}}})
    await statesAre(["handled", "held outage"])
  })
})

describe("an outage", () => {
  const begin = async (options?: Options) => {
    const [engine] = engines
    return run(await open(await (engine ?? expect.fail()).make()), options)
  }

  test.each([
    ["askAfter is unset", {ingress: {}, pasts: {line: away(20 * hour)}}],
    ["it was short", {pasts: {line: away(10 * minute)}}],
    ["a release paused", {pasts: {line: away(hour)}, pauses: [{from: noon - hour, to: noon - 5 * minute}]}],
  ] satisfies readonly [string, Options][])("holds nothing if %s", async (_, options) => {
    const {say, statesAre} = await begin(options)
    await say("1", hour / 2)
    await statesAre(["handled"])
  })

  test("is remembered over a short one, and while it lasts", async () => {
    const past: Past = {awaySince: noon - hour}
    const {say, statesAre, line, inbox, clock} = await begin({pasts: {line: past}})
    await say("1", minute)
    past.away = {from: noon - hour, to: noon}
    past.awaySince = undefined
    inbox.online(line)
    past.away = {from: noon + 5 * minute, to: noon + 6 * minute}
    clock.set("2026-11-29T12:30:00Z")
    await say("2", 31 * minute, {channel: "d"})
    await say("3", 29 * minute, {channel: "e"})
    await statesAre(["held outage", "held outage", "handled"])
  })

  test("that a wrong clock ended in the future holds no new event", async () => {
    const {say, statesAre, clock} = await begin({pasts: {line: away(hour, noon + hour)}})
    clock.set("2026-11-29T13:30:00Z")
    await say("1", 0)
    clock.set("2026-11-29T12:10:00Z")
    await say("2", 0)
    clock.set("2026-11-29T12:10:01Z")
    await say("3", 500)
    await statesAre(["handled", "handled", "handled"])
  })

  test("ends by itself after askFor; then age limits apply, and not to what a person released", async () => {
    const pasts = {line: away(20 * hour)}
    const {say, statesAre, clock, inbox, ran} = await begin({
      ingress: {askAfter: "10m", askFor: "1h"},
      pasts,
      limit: hour,
    })
    await say("old", 19 * hour)
    await say("young", minute)
    const {sn} = await say("person", 19 * hour, {channel: "d"})
    await inbox.act("release", {seq: sn})
    await clock.passTo("2026-11-29T12:30:00Z", async () => {})
    await say("behind", 0)
    await statesAre(["held outage", "held outage", "handled", "held behind"])
    await clock.passTo("2026-11-29T12:59:59Z", () => new Promise(done => setTimeout(done, 5)))
    await statesAre(["held outage", "held outage", "handled", "held behind"])
    await clock.passTo("2026-11-29T13:00:31Z", async () => {})
    await statesAre(["expired", "expired", "handled", "handled"])
    expect(ran).toEqual(["person", "behind"])
  })

  test("begins the time of askFor again if the Host was away for long once more", async () => {
    const [engine] = engines
    const database = await open(await (engine ?? expect.fail()).make())
    const ingress = {askAfter: "10m", askFor: "1h"}
    const first = await run(database, {ingress, pasts: {line: away(20 * hour)}})
    await first.say("1", hour)
    await first.inbox.drain()
    const at = "2026-11-29T15:00:00Z"
    const again = await run(database, {ingress, at, pasts: {line: {awaySince: noon + minute}}})
    await again.clock.passTo("2026-11-29T15:59:00Z", () => new Promise(done => setTimeout(done, 5)))
    await again.statesAre(["held outage"])
    await again.clock.passTo("2026-11-29T16:01:00Z", async () => {})
    await again.statesAre(["handled"])
  })

  test("holds a redelivered event only once", async () => {
    const {say, statesAre, inbox, clock} = await begin({pasts: {line: away(hour)}})
    const {sn} = await say("1", minute)
    await inbox.act("release", {seq: sn})
    await statesAre(["handled"])
    await say("1", minute)
    await until("nothing to be held", async () => clock.waiting === 0)
    await say("2", 0)
    await statesAre(["handled", "handled"])
  })
})
