import {describe, expect, test} from "vitest"
import {readAgentEnds} from "../../../server/agents/runs/figures.ts"
import type {Database} from "../../../server/database/database.ts"
import {countStarts} from "../../../server/database/state/runs.ts"
import {recallEnds} from "../../../server/inbox/newest.ts"
import {HandlerMeter} from "../../../server/messages/handler-meter.ts"
import {engines, open} from "../../support/database/databases.ts"
import {inboxRow, startRow} from "../../support/database/insert.ts"

const minute = 60_000
const hour = 60 * minute

/** Stores an event that came this long ago, and its mark, which ended then or later. */
const storing = (now: number) => {
  let seq = 0
  return (database: Database, ago: number, state: string, {failures = 0, error = "", ended = ago} = {}) => {
    seq += 700
    return database.write([
      inboxRow({seq, event_id: String(seq), received_at: now - ago}),
      {
        sql: "INSERT INTO inbox_marks (seq, handler, state, failures, error, ended_at) VALUES (?, 'root/p/command/c', ?, ?, nullif(?, ''), ?)",
        args: [seq, state, failures, error, now - ended],
      },
    ])
  }
}

describe.each(engines)("figures named by a period, on $name", ({make}) => {
  test("a plugin's attempts of the last hour and day include those of earlier runs", async () => {
    const database = await open(await make())
    const now = Date.now()
    const store = storing(now)
    await store(database, 25 * hour, "failed")
    await store(database, 23 * hour, "failed", {error: "first"})
    await store(database, 2 * hour, "handled", {failures: 2})
    await store(database, 50 * minute, "failed", {error: "newest"})
    await store(database, 40 * minute, "handled")
    await store(database, 30 * minute, "handled", {error: "not run: it was stopped"})
    await store(database, 20 * minute, "pending", {failures: 3})
    await store(database, minute, "dead")
    await store(database, minute, "failed", {error: "of this run", ended: -1})
    const meter = new HandlerMeter()
    await recallEnds(database, now, meter)
    const figures = meter.of("root/p")
    const sum = (counts: "ended" | "failed", minutes: number) =>
      figures?.recent[counts].last(minutes, performance.now()).reduce((one, other) => one + other, 0)
    expect([sum("failed", 60), sum("ended", 60)]).toEqual([4, 5])
    expect([sum("failed", 24 * 60), sum("ended", 24 * 60)]).toEqual([7, 9])
    expect(figures?.lastFailure).toMatchObject({at: now - 50 * minute, error: "newest", seq: 2800})
    // No handler has run since the start.
    expect([meter.owners, figures?.slowest()]).toEqual([[], undefined])
  })

  test("the starts of a quarter of an hour include this one, whose row is younger", async () => {
    const database = await open(await make())
    const now = Date.now()
    await database.write([-16 * minute, -14 * minute, -minute, 70].map(at => startRow(now + at)))
    expect(await countStarts(database, now)).toBe(3)
  })

  test("an agent's runs of the last hour include those of earlier runs of the Host", async () => {
    const database = await open(await make())
    const now = Date.now()
    const runs = [
      ["helper", "failed", 61],
      ["helper", "failed", 59],
      ["helper", "cancelled", 30],
      ["helper", "succeeded", 1],
      ["helper", "running", 0],
      ["other", "succeeded", 5],
    ] as const
    await database.write(
      runs.map(([agent, state, ago], index) => ({
        sql: `INSERT INTO agent_runs (run_id, agent, cause, place, input, state, created_at, ended_at)
          VALUES (?, ?, 'api', '{}', '', ?, ?, ?)`,
        args: [String(index), agent, state, now - 2 * hour, state === "running" ? null : now - ago * minute],
      })),
    )
    expect(await readAgentEnds(database, ["helper", "other", "idle"], now)).toEqual([
      {agent: "helper", ended: 3, bad: 2, runId: expect.any(String)},
      {agent: "other", ended: 1, bad: 0},
      {agent: "idle", ended: 0, bad: 0},
    ])
  })
})
