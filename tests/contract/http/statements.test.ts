import {writeFileSync} from "node:fs"
import {join} from "node:path"
import {ConnectionPool} from "@libsql/client/sqlite3"
import {expect, onTestFinished, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {Host} from "../../../server/host/open/host.ts"
import {start} from "../../../server/host/start.ts"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {exit} from "../../../shared/exit.ts"
import {type ApiDocument, type Examples, questionsOf, usualValues} from "../../support/host/questions.ts"
import {makeFolder} from "../../support/machine/folders.ts"
import {
  backlogAgent,
  backlogJob,
  backlogPaths,
  backlogStatements,
  numbered,
  openBacklog,
} from "../../support/messages/backlog.ts"

/** The number of rows in each growing table. A statement that scans a whole table takes twice the allowed steps. */
const rows = 60_000
const mostSteps = 120_000

const item = numbered(rows / 2)

const examples: Examples = {
  paths: {
    ...backlogPaths(item),
    "/api/workroom/items/{id}": "/api/workroom/items/1",
    "/api/workroom/items/{id}/journal": "/api/workroom/items/1/journal",
    "/api/jobs/{id}": `/api/jobs/${backlogJob}`,
    "/api/jobs/{id}/next": `/api/jobs/${backlogJob}/next`,
    "/api/runs/{id}": `/api/runs/${item.runId}`,
    "/api/runs/{id}/context": `/api/runs/${item.runId}/context`,
    "/api/timers/{id}": `/api/timers/${item.timerId}`,
    "/api/checkpoints/{id}": "/api/checkpoints/newest",
    "/api/checkpoints/{id}/archive": "/api/checkpoints/none/archive",
  },
  // Streams do not end; the history and the list of messages read the same rows. User data is searched in slices of all
  // rows. The sandbox keeps its changes in memory.
  apart: [
    "/api/events",
    "/api/plugins/sandbox/stream",
    "/api/plugins/sandbox/changes",
    "/api/users/export",
    "/api/permissions/user",
  ],
  values: {...usualValues, cursor: String(rows), job: backlogJob, agent: backlogAgent},
}

/** Tables that stay small however long a project runs. */
const small = new Set(
  `svc_meta svc_group svc_migrations file_totals svc_plugin_migrations event_retention job_states
  job_run_totals agent_run_totals endpoint_online endpoint_cursors retention_dropped workroom_head workroom_told
  alerts alert_targets`.split(/\s+/),
)

/** Read once in a run of the Host, for the first page of metrics; retention limits the counted rows. */
const once = ["FROM svc_runs WHERE runtime_id <> ?", "FROM endpoint_gaps WHERE to_at IS NOT NULL AND (seq > ?1"]

/** Records every prepared statement, and holds it, because a collected statement loses its step count. */
const listen = () => {
  const heard: {readonly sql: string; readonly statement: object}[] = []
  let isListening = false
  const original = ConnectionPool.prototype.acquireSync
  const known = new WeakSet<object>()
  ConnectionPool.prototype.acquireSync = function (this: ConnectionPool, forTransaction) {
    const connection = original.call(this, forTransaction)
    if (!known.has(connection)) {
      known.add(connection)
      const prepare = connection.prepare.bind(connection)
      const value = (sql: string) => {
        const statement = prepare(sql)
        if (isListening) heard.push({sql, statement})
        return statement
      }
      Object.defineProperty(connection, "prepare", {value, configurable: true, writable: true})
    }
    return connection
  }
  onTestFinished(() => {
    ConnectionPool.prototype.acquireSync = original
  })
  return {
    heard,
    during: async (work: () => Promise<void>) => {
      isListening = true
      await work().finally(() => {
        isListening = false
      })
    },
  }
}

const config = {
  http: {port: 0},
  plugins: {sandbox: {}},
  agents: {[backlogAgent]: {provider: "google", model: "none", enabled: false}},
}

const startFilled = async (): Promise<Host> => {
  const project = makeFolder()
  writeFileSync(join(project, "package.json"), JSON.stringify({name: "full-bot"}))
  writeFileSync(join(project, "svc.config.yml"), JSON.stringify(config))
  const logs = createLogs({level: "warn", format: "pretty", colors: false, write: () => {}})
  const signal = new AbortController().signal
  const options = {
    project,
    mode: "test",
    watch: false,
    command: "test",
    supervisor: () => "none",
    logs,
    signal,
  } as const
  const host = await start(options, await loadRuntime())
  onTestFinished(() => host.stop({code: exit.ok, reason: "the test ended"}))
  const triggers = await host.database.read("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
  const named = triggers.map(({name, sql}) => ({name: String(name), sql: String(sql)}))
  await host.database.write(backlogStatements(openBacklog(rows), named).map(sql => ({sql})))
  return host
}

const ask = async (host: Host, path: string): Promise<unknown> => {
  const answer = await fetch(`${host.url}${path}`, {
    headers: {authorization: `Bearer ${host.token?.reveal()}`},
    signal: AbortSignal.timeout(30_000),
  })
  const body = await answer.text()
  // An unknown item was looked up all the same. A filter for the other kind of run was not.
  const isMisfit = answer.status === 400 && path.startsWith("/api/runs?") && body.includes("runs of ")
  if (!answer.ok && answer.status !== 404 && !isMisfit) throw new Error(`${path}: ${answer.status} ${body}`)
  return path === "/api/metrics" || body === "" ? body : JSON.parse(body)
}

/** Tables that a statement scans from end to end by its plan: without a limit, or by row numbers alone. */
const scansOf = async (database: Database, sql: string, tables: ReadonlySet<string>): Promise<readonly string[]> => {
  const plan = (await database.read(`EXPLAIN QUERY PLAN ${sql}`)).map(({detail}) => String(detail))
  const scanned = plan.flatMap(detail => {
    const [, name = ""] = /^SCAN (\w+)/.exec(detail) ?? []
    const table = aliased(sql, name)
    return tables.has(table) && !small.has(table) && !/\bLIMIT\b/.test(sql) ? [`${table}: ${detail}`] : []
  })
  return scanned
}

const aliased = (sql: string, name: string): string =>
  new RegExp(`\\b(\\w+) (?:AS )?${name}\\b`).exec(sql)?.[1]?.replace(/^(?:FROM|JOIN|UPDATE|INTO)$/, name) ?? name

test("no statement of the API's lists and figures scans a growing table", async () => {
  const listener = listen()
  const host = await startFilled()
  const {database} = host
  const names = await database.read("SELECT name FROM sqlite_master WHERE type = 'table'")
  const tables = new Set(names.map(({name}) => String(name)))
  const questions = questionsOf((await ask(host, "/api/openapi.json")) as ApiDocument, examples)
  await listener.during(async () => {
    for (const question of questions) await ask(host, question)
  })
  const statements = [...new Set(listener.heard.map(({sql}) => sql))].filter(
    sql => !/^(PRAGMA|BEGIN|COMMIT|ROLLBACK)/.test(sql) && !once.some(part => sql.includes(part)),
  )
  expect(questions.length).toBeGreaterThan(150)
  expect(statements.length).toBeGreaterThan(30)
  const scans: string[] = []
  for (const sql of statements) {
    const found = await scansOf(database, sql, tables)
    if (found.length > 0) scans.push(`${found.join(", ")} in ${sql}`)
  }
  const steps = await database.read(
    "SELECT sql, max(nstep / run) AS steps FROM sqlite_stmt WHERE ro = 1 AND run > 0 GROUP BY sql",
  )
  const long = steps
    .filter(({sql, steps}) => statements.includes(String(sql)) && Number(steps) > mostSteps)
    .map(({sql, steps}) => `${steps} steps in ${sql}`)
  expect({scans, long}).toEqual({scans: [], long: []})
})
