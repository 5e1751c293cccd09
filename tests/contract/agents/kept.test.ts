import {describe, expect, test} from "vitest"
import {erasingRunsOf} from "../../../server/agents/runs/user-part.ts"
import type {Database} from "../../../server/database/database.ts"
import {redactInbox} from "../../../server/inbox/user/redact.ts"
import {adoptDatabase} from "../../../server/recovery/restore/adopt.ts"
import {agentApproval, agentRun, agentSpending, agentStep} from "../../support/agents/rows.ts"
import {aDay, countOf, retentionOf} from "../../support/capacity/retention.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"

const runsIn = async (database: Database) =>
  (await database.read("SELECT run_id, state, reason, answer, waits_for FROM agent_runs ORDER BY seq")).map(row =>
    Object.values(row).join(" "),
  )
const approvalsIn = async (database: Database) =>
  (await database.read("SELECT id, state FROM agent_approvals ORDER BY seq")).map(row => Object.values(row).join(" "))

/** Stores one run in each state. The waiting run asks a person; a second question has ended since. */
const fill = (database: Database, isReplaced: boolean) =>
  database.write([
    agentRun(1, {agent: "writer", state: "succeeded", answer: "done"}),
    agentRun(2, {agent: "writer", state: "queued"}),
    agentRun(3, {agent: "writer", state: "running"}),
    agentRun(4, {agent: "writer", state: "waiting", waits_for: "approval"}),
    agentRun(
      5,
      isReplaced
        ? {agent: "writer", state: "succeeded", answer: "since", tokens: 30, tokens_in: 20, tokens_out: 10}
        : {agent: "writer", state: "waiting", waits_for: "approval"},
    ),
    agentApproval(4, 1),
    agentApproval(5, 1, {state: isReplaced ? "approved" : "waiting"}),
    ...(isReplaced ? [agentRun(90, {agent: "writer", state: "queued"})] : []),
  ])

const adoption = {authority: "another", at: 5000, checkpoint: "c", from: "one"}

describe.each(engines)("a restore on $name", ({make}) => {
  test("holds the runs that had not ended, with their questions to people", async () => {
    const database = await open(await make())
    await fill(database, false)
    expect(await adoptDatabase(database, adoption, undefined)).toMatchObject({agents: 4, settled: 0})
    expect(await runsIn(database)).toEqual([
      "run-1 succeeded  done ",
      "run-2 held restored  ",
      "run-3 held restored  ",
      "run-4 held restored  approval",
      "run-5 held restored  approval",
    ])
    expect(await approvalsIn(database)).toEqual(["approval-4-1 held", "approval-5-1 held"])
  })

  test("keeps an end that a run reached since, counts it once and reuses no number", async () => {
    const [database, replaced] = [await open(await make()), await open(await localDatabase())]
    await fill(database, false)
    await fill(replaced, true)
    expect(await adoptDatabase(database, adoption, replaced)).toMatchObject({agents: 3, settled: 1})
    expect((await runsIn(database)).at(-1)).toBe("run-5 succeeded  since ")
    expect(await approvalsIn(database)).toEqual(["approval-4-1 held", "approval-5-1 cancelled"])
    expect(await database.read("SELECT outcome, runs, tokens_in, tokens_out FROM agent_run_totals")).toEqual([
      {outcome: "succeeded", runs: 1, tokens_in: 20, tokens_out: 10},
    ])
    const {sql, args = []} = agentRun(0, {agent: "writer", state: "queued", run_id: "next"})
    await database.write([{sql: sql.replace("(seq, ", "(").replace("(?, ", "("), args: args.slice(1)}])
    expect((await database.read("SELECT seq FROM agent_runs WHERE run_id = 'next'"))[0]).toEqual({seq: 91})
  })

  test("asks once more only what no ended run was told since", async () => {
    const [database, replaced] = [await open(await make()), await open(await localDatabase())]
    const said = (run: number, request: string, told: number | null) => ({
      sql: "INSERT INTO agent_said (run, request, text, told) VALUES (?, ?, ?, ?)",
      args: [run, request, request, told],
    })
    const requests = ["told", "answered", "open"]
    await database.write([
      agentRun(1, {agent: "writer", state: "running"}),
      ...requests.map(request => said(1, request, null)),
    ])
    await replaced.write([
      agentRun(1, {agent: "writer", state: "succeeded", ended_at: 20}),
      agentRun(2, {agent: "writer", state: "succeeded", ended_at: 30}),
      agentRun(3, {agent: "writer", state: "queued"}),
      ...[said(1, "told", 3), said(2, "answered", 0), said(3, "open", 0)],
    ])
    await adoptDatabase(database, adoption, replaced)
    expect(await database.read("SELECT state, input FROM agent_runs WHERE seq > 1")).toEqual([
      {state: "held", input: "open"},
    ])
  })
})

test("retention deletes only ended runs, with their steps and approvals, by age and number", async () => {
  const database = await open(await localDatabase())
  const now = Date.now()
  const at = (days: number) => ({created_at: now - days * aDay, ended_at: now - days * aDay})
  await database.write([
    agentRun(1, {agent: "writer", state: "waiting", created_at: now - 90 * aDay}),
    agentRun(2, {agent: "writer", state: "held", created_at: now - 80 * aDay}),
    agentRun(3, {agent: "writer", state: "failed", ...at(40)}),
    agentRun(4, {agent: "writer", state: "succeeded", ...at(20)}),
    agentRun(5, {agent: "writer", state: "queued", created_at: now}),
    ...[1, 3, 4].flatMap(run => [agentStep(run, 1, {}), agentApproval(run, 1)]),
    agentSpending("writer", new Date(now - 41 * aDay).toISOString().slice(0, 10), {tokens: 1}),
    agentSpending("writer", new Date(now - 39 * aDay).toISOString().slice(0, 10), {tokens: 2}),
  ])
  expect(await retentionOf(database).sweep(now)).toMatchObject({agentRuns: 1})
  expect(await countOf(database, "agent_spending")).toBe(1)
  expect(await database.read("SELECT run FROM agent_steps ORDER BY run")).toEqual([{run: 1}, {run: 4}])
  expect(await retentionOf(database, {agentRuns: {age: "0s", rows: 1}}).sweep(now)).toMatchObject({agentRuns: 1})
  const left = await database.read("SELECT run_id FROM agent_runs ORDER BY seq")
  expect(left.map(({run_id}) => run_id)).toEqual(["run-1", "run-2", "run-5"])
  expect(await countOf(database, "agent_approvals")).toBe(1)
})

test("redacting an event clears the runs that answer it, and waits for those still open", async () => {
  const database = await open(await localDatabase())
  await database.write([
    {
      sql: `INSERT INTO inbox (seq, endpoint, event_id, conversation, type, received_at, event) VALUES (7, 'e', 'x', 'c', 'message-created', 1,
        '{"type":"message-created","timestamp":1,"login":{},"message":{"id":"x","content":"canary"}}')`,
    },
    agentRun(1, {
      agent: "writer",
      state: "running",
      inbox_seq: 7,
      input: "canary",
      error: "canary",
      place: '{"name":"canary"}',
    }),
    agentStep(1, 1, {input: '"canary"', output: '"canary"'}),
    agentApproval(1, 1, {state: "approved", shown: "canary"}),
    agentRun(2, {agent: "writer", state: "succeeded", inbox_seq: 8, input: "kept"}),
  ])
  await expect(redactInbox(database, 7, null, erasingRunsOf(7))).rejects.toMatchObject({code: "inbox_state"})
  await database.write([
    {sql: "UPDATE agent_runs SET state = 'succeeded', answer = 'canary', error = NULL WHERE seq = 1"},
  ])
  await redactInbox(database, 7, null, erasingRunsOf(7))
  for (const table of ["agent_runs", "agent_steps", "agent_approvals", "inbox", "events"]) {
    expect(JSON.stringify(await database.read(`SELECT * FROM ${table}`))).not.toContain("canary")
  }
  expect(await runsIn(database)).toEqual(["run-1 succeeded   ", "run-2 succeeded   "])
  expect((await database.read("SELECT input FROM agent_runs WHERE seq = 2"))[0]).toEqual({input: "kept"})
})
