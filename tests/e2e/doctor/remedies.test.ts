import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {conditionsOf} from "../../../server/metrics/alerts/words.ts"
import {type AlertCode, alertCodes, alertItems} from "../../../shared/alerts/items.ts"
import {type ReadinessReason, readinessReasons, readyBut} from "../../../shared/api/readiness.ts"
import type {Finding} from "../../../shared/attention/finding.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {pluginWith, posting, reload, startHost, svc, type TestHost, until, usuallyOn} from "../../support/host/host.ts"

/** A fault, and what the command of its remedy does. */
interface Fault {
  readonly endpoint?: string
  readonly account?: string
  /** The settings of an agent; readiness requires those named like its reasons. */
  readonly agent?: string
  readonly cause?: (host: TestHost) => unknown
  /** What the text of the remedy asks for besides the command; the configuration is always corrected. */
  readonly mend?: (host: TestHost) => unknown
  /** Given where the Host looks for it only once a minute. */
  readonly finding?: Finding
  /** What the command shows. Without it, the fault is gone after the command. */
  readonly shows?: RegExp
}

/** Why no test of this file causes it. */
type Untried = string

const adapters = {
  wire: `plugin.adapter("wire", {
    history: "none", account: Type.Object({}),
    open: async (_, {name}) => {
      if (name === "wire~refused" && !existsSync(join(plugin.project, "up"))) {
        throw refused("wrong password", {reason: "credentials", remediation: "Correct the password."})
      }
      if (name === "wire~lost") throw new Error("no route")
      return {send: async () => { throw refused("not here", {reason: "rights", remediation: "Invite the bot."}) }}
    },
  })`,
  slow: `plugin.adapter("slow", {
    history: "none", account: Type.Object({}),
    open: async (_, endpoint) => {
      endpoint.defer(async () => { while (!existsSync(join(plugin.project, "closed"))) await sleep(20) })
      return {send: async () => ({ids: []})}
    },
  })`,
  late: `plugin.adapter("late", {history: "none", open: async () => ({send: async () => ({ids: []})})})
    if (existsSync(join(plugin.project, "broken"))) throw new Error("not again")
    plugin.command("late", () => { setTimeout(() => { throw new Error("late") }, 5); return "ok" })`,
  bad: `plugin.command("bad [text]", {retries: 0}, () => { throw new Error("never") })`,
}
const plugins = {
  ...Object.fromEntries(Object.entries(adapters).map(([name, setup]) => [name, pluginWith(setup)])),
  bare: pluginWith(adapters.wire.replace('"wire"', '"bare"')),
  off: pluginWith(""),
}

/** A configuration with these faults, which readiness and alerts see at once. `round` makes each text another one. */
const configOf = (round: number, faults: Readonly<Record<string, Fault>> = {}): string => {
  const agents = Object.entries(faults).filter(([, {agent}]) => agent !== undefined)
  const required = agents.flatMap(([name]) => (Object.hasOwn(readinessReasons, name) ? [name] : []))
  const endpoints = [
    "{owner: root/sandbox, name: sandbox}",
    ...Object.values(faults).flatMap(each => each.endpoint ?? []),
  ]
  const accounts = ["a", ...Object.values(faults).flatMap(({account}) => account ?? [])]
  return `# ${round}
http: {port: 0, readiness: {endpoints: [${endpoints.join(", ")}], agents: [${required.join(", ")}]}}
plugins:
  sandbox: {}
  wire: {endpoints: [${accounts.map(id => `{id: ${id}}`).join(", ")}]}
  slow: {endpoints: [{id: one}]}
  late: {}
  bad: {}
  bare: {}
  off: {enabled: false}
agents:
  spare: {${complete("model: small, instructions: Write")}}
${agents.flatMap(([name, {agent = ""}]) => (agent === "" ? [] : [`  ${name}: {${complete(agent)}}\n`])).join("")}alerts:
  every: 1s
  grace: 0s
  settle: 0s
  targets: {ops: {endpoint: sandbox, channel: ops}}
  items: {${lasting.map(code => `${code}: {for: 0s${code === "database_capacity" ? ", above: 0" : ""}}`).join(", ")}}
`
}

const lasting = alertCodes.filter(code => !("happens" in alertItems[code]))

/** Adds a provider on this machine, unless the agent is about the provider. */
const complete = (agent: string): string =>
  agent.includes("provider:") ? agent : `provider: openai-compatible, baseURL: "http://127.0.0.1:9/v1", ${agent}`

const pause = (host: TestHost, reason: "operator" | "release") => host.post("/api/ingress/pause", {body: {reason}})

const failLate = async (host: TestHost) => {
  host.project.write("broken", "")
  await host.say("/late")
}
const mendLate = ({project}: TestHost) => rmSync(project.path("broken"))

const readiness: Record<ReadinessReason | keyof typeof readyBut, Fault | Untried> = {
  database_not_initialized: "no Host serves its report before the database is open",
  database_unreachable: "needs a remote database: e2e/restart/patience.test.ts, e2e/database/provisional.test.ts",
  disk_full: "needs a full disk: e2e/database/full-start.test.ts frees it",
  database_replaced: "needs a separate Host: e2e/database/replaced.test.ts runs svc database rescue",
  database_damaged: "needs a separate Host: e2e/database/damage.test.ts creates the checkpoint",
  last_good: "needs two failed starts: e2e/restart/last-good.test.ts corrects and restarts",
  plugin_missing: {endpoint: "{owner: root/nobody, name: nobody}"},
  plugin_disabled: {endpoint: "{owner: root/off, name: off}"},
  plugin_failed: {endpoint: "{owner: root/late, name: late}", cause: failLate, mend: mendLate},
  slot_missing: {endpoint: "{owner: root/wire, name: wire~nobody}"},
  no_account: {endpoint: "{owner: root/bare, name: bare}"},
  endpoint_failed: {endpoint: "{owner: root/wire, name: wire~refused}", account: "refused"},
  endpoint_closed: "only while the Host stops, or an endpoint leaves its generation",
  not_opened: {
    endpoint: "{owner: root/slow, name: slow~one}",
    // It answers once the old one is closed.
    cause: host => void host.post("/api/endpoints/:name/reconnect", {name: "slow~one"}),
    mend: ({project}) => project.write("closed", ""),
    shows: /slow~one \(required, \w+\)/,
  },
  agent_missing: {agent: ""},
  agent_disabled: {agent: "enabled: false, model: small, instructions: Write"},
  agent_provider_unknown: {agent: "provider: nobody, model: small, instructions: Write"},
  agent_provider_missing: "svc itself has every provider's package: contract/agents/providers-unknown.test.ts",
  agent_model_missing: {agent: 'model: " ", instructions: Write'},
  agent_key_missing: {agent: "provider: openai-compatible, model: small, instructions: Write"},
  agent_instructions_missing: {agent: "model: small"},
  agent_prices_missing: {agent: "model: small, instructions: Write, limits: {money: 1}"},
  agent_mcp_wrong: {agent: "model: small, instructions: Write, mcp: [{name: files, allow: [read]}]"},
  agent_tool_missing: {agent: "model: small, instructions: Write, tools: {nothing.there: {}}"},
  not_connected: {endpoint: "{owner: root/wire, name: wire~lost}", account: "lost", shows: /wire~lost/},
  provisional: "needs a remote database: e2e/database/provisional.test.ts",
  ingress_paused: {endpoint: "{owner: root/sandbox, name: sandbox}", cause: host => pause(host, "release")},
  paused_and_not_connected: {cause: host => pause(host, "operator")},
}

const alerts: Record<AlertCode, Fault | Untried> = {
  not_ready: {endpoint: "{owner: root/nobody, name: nobody}"},
  last_good: "needs two failed starts: e2e/restart/last-good.test.ts",
  restarts: "needs three starts within minutes",
  unclean_end: "needs a killed Host, and reports only that it happened",
  no_supervisor: "svc service install changes the machine: deploy/systemd.test.ts runs it",
  endpoint_offline: {account: "refused", mend: ({project}) => project.write("up", "")},
  endpoint_gap: "reports only that it happened: e2e/endpoints/gaps.test.ts reads the gaps",
  event_stream_gaps: "reports only that it happened, and svc events tail shows what came",
  events_dropped: "needs a database that refuses events",
  log_errors: "lasts five minutes",
  database_capacity: {shows: /./},
  disk_full: "needs a full disk: e2e/metrics/alerts.test.ts frees it",
  disk_filling: "needs days of growth",
  database_failing: "needs a failing disk: e2e/metrics/alerts.test.ts mends it",
  ingress_paused: {cause: host => pause(host, "release")},
  inbox_stuck: "needs an event that waits for five minutes",
  outbox_stuck: "needs a message that waits for five minutes",
  inbox_aside: {
    cause: host => host.say("/bad"),
    finding: {code: "inbox_aside", count: 1},
    shows: /\bfailed\b|\bdead\b/,
  },
  outbox_aside: {
    cause: host => host.post("/api/outbox", {body: {endpoint: "wire~a", channel: "ops", text: "no"}}),
    finding: {code: "outbox_aside", count: 1},
    shows: /wire~a/,
  },
  generation_refused: {
    cause: async host => {
      host.project.write("svc.config.yml", "plugins: 1\n")
      await host.fetch("/api/system/reload", posting())
    },
  },
  pinned: {cause: host => host.post("/api/plugins/:plugin", {plugin: "off", body: {enabled: true}})},
  plugin_failed: {cause: failLate, mend: mendLate},
  plugin_failing: {cause: host => Promise.all(["/bad 1", "/bad 2", "/bad 3"].map(text => host.say(text)))},
  workroom_blocked: {
    cause: async host => {
      await obey(host, "svc workroom add sign")
      await obey(host, "svc workroom claim 1 --as user:ada")
      await obey(host, "svc workroom block 1 waiting --as user:ada")
    },
    shows: /sign/,
  },
  workroom_overdue: "needs a deadline that passes",
  jobs_refused: "svc schedule list shows the refusal: e2e/scheduler/schedule.test.ts",
  jobs_failed: "e2e/metrics/jobs.test.ts reads the runs",
  jobs_unreachable: "e2e/metrics/jobs.test.ts reads the job",
  agent_failures: "needs five runs of an agent",
  mcp_failed: "needs a model: e2e/agents/mcp.test.ts",
  mcp_sign_in: "needs an authorization server: e2e/agents/mcp/sign-in.test.ts",
  mcp_changed: "needs a model: e2e/agents/mcp.test.ts",
  agents_failed: "needs a model: e2e/agents/story.test.ts",
  agents_wrong: {agent: 'model: " ", instructions: Write'},
  agents_held: "needs a restore: e2e/checkpoint/checkpoint.test.ts",
  approvals_waiting: "needs a model: e2e/agents/approvals.test.ts",
  checkpoint_failed: "needs a disk that fails: e2e/checkpoint/disk-error.test.ts",
  checkpoint_old: "needs two days",
  checkpoint_missing: {},
  memory_growing: "needs days: e2e/host/memory.test.ts",
}

interface Found {
  readonly code: string
  readonly about: string
  readonly command: string
}

const triedOf = (table: Readonly<Record<string, Fault | Untried>>): Readonly<Record<string, Fault>> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([code, fault]) => (typeof fault === "string" ? [] : [[code, fault]])),
  )

const remarks = Object.entries(readyBut).map(([code, {message}]) => {
  const [start = "", ...rest] = message.split(/<state>|\(<reasons>\)/).map(part => part.replaceAll(".", "\\."))
  return [code, new RegExp(`^${[start, ...rest].join(".+")}$`)] as const
})

const inReport = async (host: TestHost): Promise<readonly Found[]> => {
  const report = await readinessOf(host)
  return report.components.flatMap(({name, required, reason, message, remediation}) => {
    const code = reason ?? remarks.find(([, pattern]) => pattern.test(message))?.[0]
    return required && code !== undefined
      ? [{code, about: `${name} ${message}`, command: remediation?.command ?? ""}]
      : []
  })
}

const inAlerts = async (host: TestHost): Promise<readonly Found[]> => {
  const {items} = await host.get("/api/alerts")
  return items.flatMap(({code, title, until: end, remediation}) =>
    end === null ? [{code, about: title, command: remediation.command ?? ""}] : [],
  )
}

const start = (config: string) => startHost({runtime, config, plugins, args: ["--no-watch"]})
const runtime = usuallyOn("node24")

/** Runs a printed command as a reader would. */
const command = ({project}: TestHost, line: string) => svc(runtime, project, line.replace(/^svc /, "").split(" "))

const obey = async (host: TestHost, line: string) => {
  const ended = await command(host, line)
  expect({line, ...ended}).toMatchObject({code: 0})
  return ended
}

const write = ({project}: TestHost, text: string) => project.write("svc.config.yml", text)

/** Waits until the fault is found, and runs its command if that only shows it. */
const meet = async (host: TestHost, look: typeof inReport, code: string, {cause, finding, shows}: Fault) => {
  await cause?.(host)
  const find = async () => (await look(host)).find(each => each.code === code)?.command
  const line =
    finding === undefined
      ? await until(`${code} to be found`, find)
      : (conditionsOf(finding)[0]?.remediation.command ?? "")
  expect(line).toMatch(/^svc /)
  if (shows !== undefined)
    await until(`${line} to show ${code}`, async () => shows.test((await obey(host, line)).stdout))
}

/** Runs commands of what is found of these codes until nothing is left; each must change it. */
const end = async (host: TestHost, look: typeof inReport, codes: readonly string[]) => {
  const left = async () => (await look(host)).filter(({code}) => codes.includes(code))
  for (let found = await left(); found[0] !== undefined; found = await left()) {
    await obey(host, found[0].command)
    const before = JSON.stringify(found)
    await until(`${found[0].command} to change ${before}`, async () => JSON.stringify(await left()) !== before)
  }
}

test("each remedy of readiness changes what it is about, and every check of a configuration foresees it", async () => {
  const faults = triedOf(readiness)
  const host = await start(configOf(1))
  const text = configOf(2, faults)
  const foreseen = Object.entries(faults).flatMap(([code, {cause}]) =>
    Object.hasOwn(readinessReasons, code) && cause === undefined && code !== "endpoint_failed" ? [code] : [],
  )
  const expectAll = (said: string, codes = foreseen) =>
    expect(codes.filter(code => !said.includes(`: ${code}: `))).toEqual([])

  const {hash} = await host.get("/api/config/file")
  const preview = await host.post("/api/config/preview", {body: {hash, text, draft: true}})
  expect(preview).toMatchObject({issues: [], restart: []})
  expectAll((preview.unready ?? []).join("\n"))
  write(host, text)
  const checked = await command(host, "svc config check")
  expect(checked.code).toBe(1)
  expectAll(checked.stderr)
  const doctor = await command(host, "svc doctor --static --json")
  expect(doctor.stdout.match(/"check": "readiness"/g)?.length).toBe(foreseen.length)
  expectAll((await obey(host, "svc runtime reload")).stderr)
  const settled = await command(host, "svc runtime reload --require-ready")
  expect(settled.code).toBe(1)
  expectAll(settled.stderr, [...foreseen, "endpoint_failed"])

  for (const [code, fault] of Object.entries(faults)) await meet(host, inReport, code, fault)
  for (const {mend} of Object.values(faults)) await mend?.(host)
  write(host, configOf(3))
  await end(host, inReport, Object.keys(faults))
  expect(await obey(host, "svc runtime reload --require-ready")).toMatchObject({stderr: ""})
  await obey(host, "svc config check")
  expectAll((await obey(host, "svc generation rollback 2")).stdout)
  expect((await obey(host, "svc generation unpin")).stdout).not.toMatch(/: [a-z_]+: /)
})

test("each remedy of an alert ends it, or shows what it is about", async () => {
  const host = await start(configOf(1))
  let round = 1
  for (const [code, fault] of Object.entries(triedOf(alerts))) {
    write(host, configOf(++round, {[code]: fault}))
    await reload(host)
    await meet(host, inAlerts, code, fault)
    await fault.mend?.(host)
    if (fault.shows !== undefined) continue
    // The file stays as it is where the command is about something else.
    if ((fault.endpoint ?? fault.agent) !== undefined || code === "generation_refused") write(host, configOf(++round))
    await end(host, inAlerts, [code])
  }
})
