import {afterEach, beforeEach, describe, expect, onTestFinished, test, vi} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import {GapCounts} from "../../../server/endpoints/gaps/gap-counts.ts"
import {Gaps} from "../../../server/endpoints/gaps/gaps.ts"
import {owingGaps} from "../../../server/endpoints/gaps/handed-over.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Endpoint as Handle, History} from "../../../shared/sdk/adapter/adapter.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {engines, log, open, until} from "../../support/database/databases.ts"
import {lineSpec, stored} from "../../support/messages/line-endpoint.ts"

/** How often the Host stores up to when an endpoint has missed nothing, in milliseconds. */
const heartbeat = 10_000

// The test moves only the heartbeat and the clock: the database keeps its own timers.
beforeEach(() => void vi.useFakeTimers({toFake: ["setInterval", "clearInterval", "Date", "performance"]}))
afterEach(() => void vi.useRealTimers())

/** One run of a Host, reduced to gaps: an adapter that reports `lag`, and a database that may refuse an event. */
const begin = async (
  database: Database,
  lag: (() => number) | undefined,
  opening: (handle: Handle) => void = () => {},
  {
    history = "none",
    catchUp,
    forgetsAcknowledged = false,
  }: {history?: History; catchUp?: Sender["catchUp"]; forgetsAcknowledged?: boolean} = {},
) => {
  const gaps = new Gaps(database, log)
  let handle: Handle | undefined
  let store: () => Promise<void> = async () => {}
  const endpoint = new Endpoint(
    lineSpec({
      history,
      forgetsAcknowledged,
      open: async opened => {
        handle = opened
        opening(opened)
        return {send: async () => ({ids: []}), ...(lag && {lag}), ...(catchUp && {catchUp})}
      },
    }),
    {
      receive: async () => {
        await store()
        return [stored(1)]
      },
      online: () => {},
      changed: changed => gaps.observe(changed),
      listening: changed => gaps.observe(changed),
      unstored: changed => gaps.unstored(changed),
    },
  )
  await gaps.start([endpoint])
  onTestFinished(() => gaps.stop())
  onTestFinished(() => endpoint.close())
  endpoint.open()
  const opened = await until("the endpoint to be online", () => endpoint.state.is === "online" && handle)
  return {
    gaps,
    endpoint,
    handle: opened,
    receive: (storing: () => Promise<void>) => {
      store = storing
      return opened.receive({id: "1", type: "message-created"})
    },
  }
}

const listOf = (database: Database) =>
  database.read('SELECT from_at AS "from", to_at AS "to", reason FROM endpoint_gaps ORDER BY seq')

/** Waits until a later time is stored as the endpoint's last complete moment. */
const untilSeen = (database: Database, after: number) =>
  until("the list of online endpoints to be stored", async () => {
    const [row] = await database.read("SELECT seen_at FROM endpoint_online")
    return Number(row?.seen_at ?? 0) > after
  })

const untilListed = (database: Database) =>
  until("a gap", async () => {
    const rows = await listOf(database)
    return rows.length > 0 && rows
  })

const startAfresh = (database: Database, endpoints: readonly Endpoint[] = []) => {
  const gaps = new Gaps(database, log)
  onTestFinished(() => gaps.stop())
  return gaps.start(endpoints)
}

/** Returns the gaps once another run has begun. */
const afterKill = async (database: Database) => {
  await startAfresh(database)
  return listOf(database)
}

describe.each(engines)("gaps on $name", ({make}) => {
  test("a killed run leaves a gap from the last complete moment, not from when that was stored", async () => {
    const database = await open(await make())
    await begin(database, () => 3000)
    const online = Date.now()
    await untilSeen(database, 0)
    vi.advanceTimersByTime(heartbeat)
    await untilSeen(database, online)
    expect(await afterKill(database)).toEqual([{from: online + heartbeat - 3000, to: null, reason: "host_ended"}])
  })

  test("an event still being stored at the heartbeat is inside the gap of a kill", async () => {
    const database = await open(await make())
    const {receive} = await begin(database, () => 0)
    const online = Date.now()
    await untilSeen(database, 0)
    vi.advanceTimersByTime(heartbeat - 4000)
    void receive(() => new Promise(() => {}))
    vi.advanceTimersByTime(4000)
    await untilSeen(database, online)
    expect(await afterKill(database)).toEqual([{from: online + heartbeat - 4000, to: null, reason: "host_ended"}])
  })

  test("a lost connection leaves a gap from when it last worked, at most as long as it was online", async () => {
    const database = await open(await make())
    const {handle, endpoint} = await begin(database, () => 50)
    const online = Date.now()
    vi.advanceTimersByTime(5000)
    handle.lost(new Error("no answer"), {since: online + 2000})
    await until("the endpoint to go offline", () => endpoint.state.is === "reconnecting")
    expect(await untilListed(database)).toEqual([{from: online + 2000, to: null, reason: "connection_lost"}])

    const other = await open(await make())
    const early = await begin(other, () => 50)
    const began = Date.now()
    vi.advanceTimersByTime(5000)
    early.handle.lost(new Error("no answer"), {since: began - 60_000})
    await until("the endpoint to go offline", () => early.endpoint.state.is === "reconnecting")
    expect(await untilListed(other)).toEqual([{from: began, to: null, reason: "connection_lost"}])
  })

  test("an endpoint that misses events from the start has one gap, across a kill, until it is complete", async () => {
    const database = await open(await make())
    const found: (() => void)[] = []
    const begun = () =>
      begin(
        database,
        () => 0,
        handle => void found.push(handle.missing()),
      )
    vi.advanceTimersByTime(5000)
    const {gaps} = await begun()
    const online = Date.now()
    expect(await untilListed(database)).toEqual([{from: online, to: null, reason: "channel_left"}])
    vi.advanceTimersByTime(2000)
    await begun()
    expect(await listOf(database)).toEqual([{from: online, to: null, reason: "channel_left"}])
    vi.advanceTimersByTime(1000)
    found.at(-1)?.()
    await untilSeen(database, online)
    expect(await listOf(database)).toEqual([{from: online, to: online + 3000, reason: "channel_left"}])
    await gaps.stop()
  })

  test("a gap ends as filled only when the platform resumes from a cursor older than the gap", async () => {
    for (const [later, outcome] of [
      [0, "filled"],
      [1, "partly"],
    ] as const) {
      const database = await open(await make())
      const since = Date.now()
      await begin(
        database,
        () => 0,
        handle => handle.covers(since),
      )
      await untilSeen(database, 0)
      await begin(
        database,
        () => 0,
        handle => handle.covers(since + later),
      )
      const [gap] = await until("the gap to end", async () => {
        const rows = await database.read("SELECT from_at, to_at, backfill FROM endpoint_gaps WHERE to_at IS NOT NULL")
        return rows.length > 0 && rows
      })
      expect(gap).toEqual({from_at: since, to_at: since, backfill: outcome})
    }
  })

  test("events that the database rejected are a gap until it stores again; an invalid event is not", async () => {
    const database = await open(await make())
    const {receive, gaps} = await begin(database, () => 100)
    const online = Date.now()
    vi.advanceTimersByTime(1000)
    const invalid = receive(async () => {
      throw new Problem("event_invalid", "no type")
    })
    await expect(invalid).rejects.toMatchObject({code: "event_invalid"})
    const lost = receive(async () => {
      vi.advanceTimersByTime(400)
      throw new Problem("database_full", "no space")
    })
    await expect(lost).rejects.toMatchObject({code: "database_full"})
    const failed = Date.now()
    expect(await untilListed(database)).toEqual([{from: online + 900, to: failed, reason: "not_stored"}])
    await gaps.stop()
    expect(await listOf(database)).toMatchObject([{reason: "not_stored"}, {reason: "host_stopped", to: null}])
  })

  test("a planned stop leaves one gap, from the end of admission until the endpoint is online again", async () => {
    const database = await open(await make())
    const first = await begin(database, undefined)
    vi.advanceTimersByTime(60_000)
    await first.endpoint.catchUp()
    const stopped = Date.now()
    await first.gaps.stop()
    first.endpoint.stopAdmission()
    await first.endpoint.close()
    expect(await listOf(database)).toEqual([{from: stopped, to: null, reason: "host_stopped"}])
    vi.advanceTimersByTime(7000)
    const {gaps} = await begin(database, undefined)
    const back = Date.now()
    await untilSeen(database, stopped)
    expect(await listOf(database)).toEqual([{from: stopped, to: back, reason: "host_stopped"}])
    await gaps.stop()
  })

  test("a planned stop waits for events in transit when the adapter reports its progress", async () => {
    const database = await open(await make())
    let heard = performance.now()
    const {endpoint, handle, gaps} = await begin(database, () => performance.now() - heard, undefined, {
      catchUp: async () => {
        heard = performance.now()
        vi.advanceTimersByTime(30)
        await handle.receive({id: "1", type: "message-created"})
      },
    })
    vi.advanceTimersByTime(9000)
    const asked = Date.now()
    await endpoint.catchUp()
    expect(endpoint.past.lastEventAt).toBe(asked + 30)
    await gaps.stop()
    expect(await listOf(database)).toEqual([{from: asked, to: null, reason: "host_stopped"}])
  })

  test("an adapter that fails to catch up in time leaves the gap that its lag reports", async () => {
    const hangs = async (signal: AbortSignal) => {
      await new Promise(resolve => signal.addEventListener("abort", resolve))
    }
    const fails = async () => {
      throw new Error("no answer")
    }
    for (const [lag, catchUp, before] of [
      [() => 4000, hangs, 4000],
      [() => 4000, fails, 4000],
      [undefined, fails, 10_000],
    ] as const) {
      const database = await open(await make())
      const {endpoint, gaps} = await begin(database, lag, undefined, {catchUp})
      vi.advanceTimersByTime(60_000)
      await endpoint.catchUp()
      const stopped = Date.now()
      await gaps.stop()
      expect(await listOf(database)).toEqual([{from: stopped - before, to: null, reason: "host_stopped"}])
    }
  })

  test("a Host that ends because it failed leaves an unplanned gap", async () => {
    const database = await open(await make())
    const {gaps} = await begin(database, () => 0)
    await gaps.stop("host_failed")
    expect(await listOf(database)).toMatchObject([{reason: "host_failed", to: null}])
  })

  test("a platform inside the Host has no gaps after stops, kills, losses or failed writes", async () => {
    const database = await open(await make())
    const inside = () => begin(database, undefined, undefined, {history: "inside"})
    const {receive, handle, endpoint, gaps} = await inside()
    const full = async () => {
      throw new Problem("database_full", "no space")
    }
    await expect(receive(full)).rejects.toMatchObject({code: "database_full"})
    handle.missing()
    handle.lost(new Error("closed"))
    await until("the endpoint to go offline", () => endpoint.state.is !== "online")
    await gaps.stop()
    const killed = await inside()
    vi.advanceTimersByTime(heartbeat)
    const later = await inside()
    await Promise.all([killed.gaps.stop(), later.gaps.stop()])
    expect(await listOf(database)).toEqual([])
  })

  test("an open gap is dropped when its adapter moves inside the Host, and ends when it replays", async () => {
    for (const [history, left] of [
      ["inside", []],
      ["replay", [{from: 1000, to: expect.any(Number), reason: "host_stopped"}]],
    ] as const) {
      const database = await open(await make())
      await database.write([
        {sql: "INSERT INTO endpoint_gaps (endpoint, from_at, reason) VALUES ('line', 1000, 'host_stopped')"},
      ])
      const {gaps} = await begin(database, undefined, undefined, {history})
      await gaps.stop()
      expect(await listOf(database)).toEqual(left)
    }
  })

  test("a platform that forgets leaves one gap after a restore only, from its last complete moment", async () => {
    const database = await open(await make())
    const begun = () => begin(database, () => 2000, undefined, {history: "replay", forgetsAcknowledged: true})
    const restore = (at: number) =>
      database.write([
        {sql: "INSERT OR REPLACE INTO svc_meta (key, value) VALUES ('checkpoint', json_object('at', ?))", args: [at]},
        owingGaps,
      ])
    // The endpoint was not online before the checkpoint: only the time of the checkpoint is known.
    await restore(Date.now())
    const checkpoint = Date.now()
    vi.advanceTimersByTime(60_000)
    const first = await begun()
    const online = Date.now()
    await first.gaps.stop()
    const early = {from: checkpoint - heartbeat, to: online, reason: "host_ended"}
    expect(await listOf(database)).toEqual([early])

    const killed = await begun()
    vi.advanceTimersByTime(heartbeat)
    const complete = Date.now() - 2000
    killed.handle.lost(new Error("no answer"))
    await until("the endpoint to go offline", () => killed.endpoint.state.is === "reconnecting")
    // While the bot is offline, its platform keeps everything.
    vi.advanceTimersByTime(60_000)
    await killed.gaps.stop()
    expect(await afterKill(database)).toEqual([early])
    await restore(Date.now())
    vi.advanceTimersByTime(5000)
    // Killed twice before it is online.
    const away = new Endpoint(lineSpec({history: "replay", forgetsAcknowledged: true}), {
      receive: async () => [stored(1)],
      online: () => {},
    })
    for (const _ of [1, 2]) {
      await startAfresh(database, [away])
      vi.advanceTimersByTime(1000)
    }
    expect(await listOf(database)).toEqual([early, {from: complete, to: null, reason: "host_ended"}])
    const later = await begun()
    const back = Date.now()
    await later.gaps.stop()
    const both = [early, {from: complete, to: back, reason: "host_ended"}]
    expect(await listOf(database)).toEqual(both)
    await (await begun()).gaps.stop()
    expect(await listOf(database)).toEqual(both)
  })

  test("gaps are counted once at the start and by length at the end, planned ones separately", async () => {
    const database = await open(await make())
    const counts = new GapCounts(database)
    const read = async () => {
      const {counts: gaps, ended, open: going} = await counts.read()
      return {
        counts: gaps.map(({reason, count}) => [reason, count]),
        ended: ended.map(({planned, lengths}) => [planned, lengths.count, lengths.sum, ...lengths.cumulative()]),
        open: going.map(({reason, from}) => [reason, from]),
      }
    }
    expect(await read()).toEqual({counts: [], ended: [], open: []})
    const gap = (from: number, to: number | null, reason: string) => ({
      sql: "INSERT INTO endpoint_gaps (endpoint, from_at, to_at, reason) VALUES ('line', ?, ?, ?)",
      args: [from, to, reason],
    })
    await database.write([gap(1000, 61_000, "host_stopped"), gap(70_000, null, "host_stopped")])
    const one = [true, 1, 60, 0, 0, 0, 1, 1, 1]
    const both = {counts: [["host_stopped", 2]], ended: [one], open: [["host_stopped", 70_000]]}
    expect(await read()).toEqual(both)
    expect(await read()).toEqual(both)
    await database.write([
      {sql: "UPDATE endpoint_gaps SET to_at = 130001 WHERE to_at IS NULL"},
      // The clock was set back within a second.
      gap(200_000, 199_500, "connection_lost"),
    ])
    const after = {
      counts: [
        ["host_stopped", 2],
        ["connection_lost", 1],
      ],
      ended: [
        [true, 2, 120.001, 0, 0, 0, 1, 2, 2],
        [false, 1, 0, 1, 1, 1, 1, 1, 1],
      ],
      open: [],
    }
    expect(await read()).toEqual(after)
    expect(await read()).toEqual(after)
  })
})
