import {setImmediate as turn} from "node:timers/promises"
import {afterEach, expect, test, vi} from "vitest"
import {Backfill, backfillLimits} from "../../../server/endpoints/backfill.ts"
import type {DatedIncoming} from "../../../shared/sdk/adapter/incoming.ts"
import {retryAfter} from "../../../shared/sdk/adapter/refusal.ts"
import type {HistoryQuery} from "../../../shared/sdk/adapter/sender.ts"
import {log, until} from "../../support/database/databases.ts"

const messageOf = (channel: string, id: string): DatedIncoming => ({
  id: `${channel}/${id}`,
  type: "message-created",
  timestamp: 1,
  channel: {id: channel, type: 0},
  message: {id, content: id},
})

/** A backfill of known channels, whose gap is a pair of lists. */
const begin = (channels = 1) => {
  const stored: string[] = []
  const connection = new AbortController()
  const spoilt: string[] = []
  const backfill = new Backfill({
    name: "line",
    log,
    signal: connection.signal,
    ends: async most =>
      Array.from({length: channels}, (_, index) => ({channel: `c${index + 1}`, message: "0"})).slice(0, most),
    store: async events => void stored.push(...events.map(({id}) => id)),
    isClosed: () => false,
    spoil: async () => void spoilt.push("partly"),
  })
  /** Stores a delivery once it has its turn, as the endpoint does. */
  const receive = async (id: string, ...of: readonly string[]) => {
    await backfill.turn(of)
    stored.push(id)
  }
  return {backfill, stored, spoilt, connection, receive}
}

/** A history that answers when the test says so, and records its queries. */
const history = () => {
  const asked: {readonly query: HistoryQuery; answer(events: readonly DatedIncoming[], more?: boolean): void}[] = []
  const ask = (query: HistoryQuery) =>
    new Promise<{events: readonly DatedIncoming[]; more: boolean}>(resolve => {
      asked.push({query, answer: (events, more = false) => resolve({events, more})})
    })
  return {asked, ask}
}

const untilAsked = <T>(of: readonly T[], count = 1) => until("the question", () => of[count - 1])

test("new events wait for missing ones in their channel only, and keep their order", async () => {
  const {backfill, stored, receive} = begin(2)
  const {asked, ask} = history()
  void receive("new in c1", "c1")
  const end = backfill.run(ask)
  const first = await untilAsked(asked)
  expect(first.query).toEqual({channel: "c1", after: "0", limit: backfillLimits.page})
  void receive("new in c1 and c2", "c1", "c2")
  void receive("another in c1", "c1")
  void receive("elsewhere", "c3")
  void receive("nowhere")
  await turn()
  expect(stored).toEqual(["elsewhere", "nowhere"])
  first.answer([messageOf("c1", "1"), messageOf("c1", "2")], true)
  const second = await untilAsked(asked, 2)
  expect(second.query).toMatchObject({channel: "c1", after: "2"})
  second.answer([messageOf("c1", "3")])
  const third = await untilAsked(asked, 3)
  await turn()
  // Events after a delivery that still waits for c2 do not overtake it.
  expect(stored.slice(2)).toEqual(["c1/1", "c1/2", "c1/3", "new in c1"])
  third.answer([messageOf("c2", "1")])
  expect(await end).toBe("filled")
  await turn()
  expect(stored.slice(6)).toEqual(["c2/1", "new in c1 and c2", "another in c1"])
})

test("a platform that asks to wait is asked again", async () => {
  const {backfill, stored} = begin()
  let asked = 0
  const filled = await backfill.run(async () => {
    if (++asked === 1) throw retryAfter(1)
    return {events: [messageOf("c1", "1")], more: false}
  })
  expect({filled, asked, stored}).toEqual({filled: "filled", asked: 2, stored: ["c1/1"]})
})

test.each([
  ["has too many channels", backfillLimits.channels + 1, async () => ({events: [], more: false})],
  [
    "has too many pages",
    1,
    async ({channel, after}: HistoryQuery) => ({events: [messageOf(channel, `${after}1`)], more: true}),
  ],
  ["says that there is more but returns nothing", 1, async () => ({events: [], more: true})],
  ["returns messages of another channel", 1, async () => ({events: [messageOf("other", "1")], more: false})],
  [
    "returns messages without their time",
    1,
    async () => ({events: [{...messageOf("c1", "1"), timestamp: Number.NaN}], more: false}),
  ],
  [
    "refuses",
    1,
    async () => {
      throw new Error("not allowed")
    },
  ],
] as const)("a backfill is partial if the history %s", async (_, channels, ask) => {
  const {backfill, spoilt, receive, stored} = begin(channels)
  const waiting = receive("new", "c1")
  expect(await backfill.run(ask)).toBe("partly")
  expect(spoilt).toEqual(["partly"])
  await waiting
  expect(stored.at(-1)).toBe("new")
})

test("a lost connection cuts a backfill off, keeps the gap open, and releases waiting deliveries", async () => {
  const {backfill, spoilt, connection, receive} = begin()
  const {asked, ask} = history()
  const waiting = receive("new", "c1")
  const end = backfill.run(ask)
  await untilAsked(asked)
  connection.abort()
  expect(await end).toBeUndefined()
  await waiting
  expect(spoilt).toEqual([])
})

test("too many waiting deliveries end a backfill as partial", async () => {
  const {backfill, spoilt, receive} = begin()
  const {asked, ask} = history()
  const end = backfill.run(ask)
  await untilAsked(asked)
  const waiting = Array.from({length: backfillLimits.waiting + 1}, (_, index) => receive(`${index}`, "c1"))
  expect(await end).toBe("partly")
  await Promise.all(waiting)
  expect(spoilt).toEqual(["partly"])
})

test("an adapter that waits for its event before it is online is admitted later, with a partial gap", async () => {
  vi.useFakeTimers({toFake: ["setTimeout", "clearTimeout"]})
  const {backfill, spoilt, receive} = begin()
  const waiting = receive("new", "c1")
  await vi.advanceTimersByTimeAsync(backfillLimits.opening)
  await waiting
  expect(spoilt).toEqual(["partly"])
  expect(backfill.isWaiting).toBe(false)
})

afterEach(() => void vi.useRealTimers())
