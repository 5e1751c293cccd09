import {Value} from "typebox/value"
import {describe, expect, test} from "vitest"
import {decide} from "../../../server/agents/approval/approvals.ts"
import {claiming, closingSteps, endingRun, parking, queueing} from "../../../server/agents/runs/run-rows.ts"
import {beginningModel, plannedSteps, planning} from "../../../server/agents/runs/step-rows.ts"
import type {Database} from "../../../server/database/database.ts"
import {type EventType, eventTypes} from "../../../shared/events/events.ts"
import {engines, open} from "../../support/database/databases.ts"

const every: readonly EventType[] = [
  "agent.run_queued",
  "agent.run_started",
  "agent.run_waiting",
  "agent.run_held",
  "agent.run_succeeded",
  "agent.run_failed",
  "agent.run_cancelled",
  "agent.step",
  "agent.approval_asked",
  "agent.approval_waiting",
  "agent.approval_held",
  "agent.approval_approved",
  "agent.approval_denied",
  "agent.approval_expired",
  "agent.approval_cancelled",
]

const begin = async (database: Database, runId: string): Promise<number> => {
  await database.write([queueing(runId, {agent: "helper", trigger: "operator", input: "go"}, 1)])
  const [row] = await database.read("SELECT seq FROM agent_runs WHERE run_id = ?", [runId])
  const seq = Number(row?.seq)
  await database.write([claiming(seq, 1, "host", 2)])
  return seq
}

const ask = (run: number, id: string) => ({
  sql: `INSERT INTO agent_approvals (id, run, n, tool, permission, shown, asked_at, expires_at)
    VALUES (?, ?, 2, 'send', 'trusted', 'Send hello', 3, 1000)`,
  args: [id, run],
})

describe.each(engines)("changes to the rows of agents in $name", ({make}) => {
  test("each raise an event from the table, in the batch of the change", async () => {
    const database = await open(await make())
    const one = await begin(database, "one")
    await database.write([
      beginningModel(one, 1, {model: "small", input: "{}", tokens: 10, money: 0, at: 3}),
      ...planning(
        one,
        plannedSteps(1, [{id: "c", name: "send", input: "{}"}], name => name),
      ),
      ...["approve", "deny", "expire", "hold"].map(id => ask(one, id)),
      parking({seq: one}, "approval", 1000),
    ])
    await decide(database, "approve", {approve: true, by: "ada"}, 5)
    await decide(database, "deny", {approve: false, by: "ada", reason: "no"}, 5)
    await database.write([
      {sql: "UPDATE agent_approvals SET state = 'expired' WHERE id = 'expire'"},
      {sql: "UPDATE agent_approvals SET state = 'held' WHERE id = 'hold'"},
      {sql: "UPDATE agent_runs SET state = 'held', reason = 'restored' WHERE seq = ?", args: [one]},
      {sql: "UPDATE agent_approvals SET state = 'waiting' WHERE id = 'hold'"},
      ...closingSteps(one, "limit_tokens", 6),
      endingRun(one, {state: "failed", reason: "limit_tokens"}, 6),
    ])
    await database.write([endingRun(await begin(database, "two"), {state: "succeeded", answer: "done"}, 7)])
    await database.write([endingRun(await begin(database, "three"), {state: "cancelled", reason: "cancelled"}, 7)])

    const rows = await database.read("SELECT type, run_id, data FROM events WHERE type LIKE 'agent.%' ORDER BY offset")
    for (const {type, data} of rows) {
      const {data: schema} = eventTypes[type as EventType]
      expect([type, ...Value.Errors(schema, JSON.parse(String(data)))]).toEqual([type])
    }
    expect([...new Set(rows.map(({type}) => type))].sort()).toEqual([...every].sort())
    expect(rows.filter(({run_id}) => run_id === "two").map(({type}) => type)).toEqual([
      "agent.run_queued",
      "agent.run_started",
      "agent.run_succeeded",
    ])
  })
})
