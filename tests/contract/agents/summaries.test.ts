import {describe, expect, test} from "vitest"
import {holdingAgents} from "../../../server/agents/runs/restored.ts"
import {queueingSummaries} from "../../../server/agents/runs/summaries.ts"
import {agentRun} from "../../support/agents/rows.ts"
import {engines, open} from "../../support/database/databases.ts"

const at = Date.UTC(2026, 4, 1)
const place = (account?: string) => JSON.stringify({channel: {id: "#a"}, user: {id: "ada", account}, age: 5})
const columns = {
  agent: "helper",
  endpoint: "line",
  channel: "#a",
  user: "ada",
  input: "x".repeat(200),
  answer: "y".repeat(200),
}
const select = `SELECT agent, state, reason, request, place ->> '$.covers' AS covers, place ->> '$.age' AS age, length(run_id) AS id
  FROM agent_runs WHERE cause = 'summary' ORDER BY seq`
const marks = "SELECT seq, summary_due FROM agent_runs WHERE summary_due IS NOT NULL"

describe.each(engines)("planned summaries in $name", ({make}) => {
  const ended = (seq: number, more: object = {}) =>
    agentRun(seq, {...columns, state: "succeeded", place: place(), ...more})

  test("are queued once, when due, for agents that note them, and cover what is new", async () => {
    const database = await open(await make())
    await database.write([
      ended(1),
      ended(2, {channel: "#b"}),
      ended(3, {place: place("other")}),
      ended(4, {summary_due: at}),
      ended(5, {agent: "mute", summary_due: at}),
      ended(6, {channel: "#c", summary_due: at + 1}),
      ended(7, {channel: "#d", summary_due: at, input: "short", answer: "too"}),
    ])
    const batch = queueingSummaries(at, {now: at, agents: ["helper"]})
    await database.write(batch)
    await database.write(batch)
    const first = {
      agent: "helper",
      state: "queued",
      reason: null,
      request: "summary/run-4",
      covers: "[1,4]",
      age: null,
      id: 36,
    }
    expect(await database.read(select)).toEqual([first])
    expect(await database.read(marks)).toEqual([{seq: 6, summary_due: at + 1}])
    await database.write([
      {sql: "UPDATE agent_runs SET state = 'succeeded', answer = 'noted' WHERE cause = 'summary'"},
      ended(20),
      ended(21, {summary_due: at}),
    ])
    await database.write(batch)
    expect((await database.read(select)).at(-1)).toMatchObject({request: "summary/run-21", covers: "[20,21]"})
  })

  test("wait for open runs of the conversation, and are held after a restore", async () => {
    const database = await open(await make())
    await database.write([ended(1, {summary_due: at}), agentRun(2, {...columns, state: "waiting", place: place()})])
    await database.write(queueingSummaries(at, {now: at}))
    expect(await database.read(select)).toEqual([])
    expect(await database.read(marks)).toEqual([{seq: 1, summary_due: at + 600_000}])
    await database.write([{sql: "UPDATE agent_runs SET state = 'cancelled' WHERE seq = 2"}, ...holdingAgents(at)])
    expect(await database.read(select)).toMatchObject([{state: "held", reason: "restored", request: "summary/run-1"}])
    expect(await database.read(marks)).toEqual([])
  })
})
