import {afterEach, beforeEach, describe, expect, onTestFinished, test, vi} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {Endpoints} from "../../../server/endpoints/endpoints.ts"
import {viewEndpoints} from "../../../server/endpoints/part/endpoints.ts"
import {Pasts} from "../../../server/endpoints/pasts.ts"
import {readLastTimes} from "../../../server/inbox/look-ups.ts"
import type {Endpoint as Handle} from "../../../shared/sdk/adapter/adapter.ts"
import {engines, log, open, until} from "../../support/database/databases.ts"
import {lineSpec, stored} from "../../support/messages/line-endpoint.ts"

const day = 86_400_000
const begin = Date.parse("2027-03-01T10:00:00Z")

beforeEach(() => void vi.useFakeTimers({toFake: ["setInterval", "clearInterval", "performance", "Date"], now: begin}))
afterEach(() => void vi.useRealTimers())

/** One run of a Host, reduced to one endpoint, which never connects if it is cut off. */
const start = async (database: Database, isCut = false) => {
  const pasts = new Pasts(database, log, () => readLastTimes(database))
  const handles: Handle[] = []
  const endpoints = new Endpoints({receive: async () => [stored(1)], online: () => {}, past: name => pasts.of(name)})
  onTestFinished(async () => {
    await pasts.stop()
    await endpoints.close()
  })
  const openLine = async (handle: Handle) => {
    handles.push(handle)
    return isCut ? new Promise<never>(() => {}) : {send: async () => ({ids: []})}
  }
  await endpoints.apply([lineSpec({account: "a1b2", open: openLine})])
  await pasts.start()
  endpoints.start()
  const is = (state: string) => until(`the endpoint to be ${state}`, () => endpoints.get("line")?.state.is === state)
  await is(isCut ? "connecting" : "online")
  /** The view's times, in milliseconds after the beginning. */
  const times = () => {
    const [view] = viewEndpoints(endpoints, [])
    const after = (at: string | null | undefined) => (at == null ? null : Date.parse(at) - begin)
    return [after(view?.lastEventAt), after(view?.lastSentAt), after(view?.awaySince)]
  }
  const send = () =>
    endpoints.get("line")?.sender?.send({id: "1", channel: "c", content: []} as never, AbortSignal.abort())
  return {pasts, endpoints, is, times, send, receive: () => handles.at(-1)?.receive({id: "1", type: "message-created"})}
}

const isStored = (database: Database, at: number) =>
  until("the pasts to be stored", async () => {
    const [row] = await database.read("SELECT value ->> 'at' AS at FROM svc_meta WHERE key = 'endpoints.pasts'")
    return row?.at === begin + at
  })

describe.each(engines)("the past of an endpoint on $name", ({make}) => {
  test("outlives a new connection, a planned stop, a failed start and a killed run", async () => {
    const database = await open(await make())
    const first = await start(database)
    expect(first.times()).toEqual([null, null, null])
    vi.setSystemTime(begin + 1000)
    await first.receive()
    vi.setSystemTime(begin + 2000)
    await first.send()
    await first.endpoints.reconnect("line")
    await first.is("online")
    expect(first.times()).toEqual([1000, 2000, null])
    expect(first.pasts.of("line").account).toBe("a1b2")
    vi.setSystemTime(begin + 3000)
    await first.pasts.stop()
    const failed = new Pasts(database, log, () => readLastTimes(database))
    failed.of("line")
    await failed.stop()

    vi.setSystemTime(begin + day)
    const second = await start(database, true)
    expect(second.times()).toEqual([1000, 2000, 3000])
    expect(second.pasts.of("line").account).toBe("a1b")
    vi.advanceTimersByTime(10_000)
    await isStored(database, day + 10_000)

    vi.setSystemTime(begin + 2 * day)
    const third = await start(database)
    expect(third.times()).toEqual([1000, 2000, null])
    // Killed: only beats have stored something.
    vi.advanceTimersByTime(10_000)
    await isStored(database, 2 * day + 10_000)
    vi.setSystemTime(begin + 2 * day + 60_000)
    vi.advanceTimersByTime(10_000)
    await isStored(database, 2 * day + 70_000)
    expect((await start(database, true)).times()).toEqual([1000, 2000, 2 * day + 70_000])
  })

  test("has what a killed run left in its rows, except timers, beside a busy endpoint", async () => {
    const database = await open(await make())
    const run = await start(database)
    await run.receive()
    await run.pasts.stop()
    const event = (endpoint: string, id: string, type: string, at: number) => ({
      sql: `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?5)
        SELECT ?1, ?2 || i, '', ?3, ?4, '{}' FROM n`,
      args: [endpoint, id, type, begin + at, endpoint === "busy" ? 6000 : 1],
    })
    await database.write([event("line", "m", "message-created", 5000), event("line", "t", "timer", 6000)])
    const next = await start(database)
    expect(next.times()).toEqual([5000, null, null])
    await next.pasts.stop()
    await database.write([event("busy", "b", "message-created", 7000)])
    expect((await start(database)).times()).toEqual([5000, null, null])
  })
})
