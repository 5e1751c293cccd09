import {describe, expect, test} from "vitest"
import {fits} from "../../../server/config/check.ts"
import type {EndpointFacts, Facts} from "../../../server/http/readiness/facts.ts"
import {isEveryRequiredReady, createReport as reportOf} from "../../../server/http/readiness/report.ts"
import type {BindingReason} from "../../../shared/agents/standing.ts"
import {
  type Component,
  type ReadinessReason,
  ReadinessReport,
  readinessReasons,
  readyBut,
} from "../../../shared/api/readiness.ts"

const at = Date.UTC(2026, 0, 2, 3, 4, 5)
const open: EndpointFacts = {
  owner: "root/irc",
  name: "irc~libera",
  state: "online",
  admission: {is: "open"},
  since: at + 2000,
}
const closed = (reason: string): EndpointFacts => ({...open, admission: {is: "closed", reason}})
const selector = {owner: "root/irc", name: "irc~libera"}

const facts = (more: Partial<Facts> = {}): Facts => ({
  now: at + 5000,
  startedAt: at,
  authority: "0190a6e0-0000-7000-8000-000000000000",
  generation: {number: 7, committedAt: at + 1000},
  failure: undefined,
  databaseInitialized: true,
  endpoints: [open],
  plugins: {irc: "active", off: "disabled"},
  agents: {writer: {configured: true}},
  required: {database: true, endpoints: [selector], agents: ["writer"]},
  ...more,
})
const requiring = (more: Partial<Facts["required"]>): Facts["required"] => ({...facts().required, ...more})

/** Whatever the facts are, a probe and the report agree. */
const createReport = (from: Facts): ReadinessReport => {
  const report = reportOf(from)
  expect(isEveryRequiredReady(from)).toBe(report.ready)
  return report
}

const find = (report: ReadinessReport, kind: Component["kind"], name?: string): Component => {
  const found = report.components.find(each => each.kind === kind && (name === undefined || each.name === name))
  if (found === undefined) throw new Error(`no ${kind} ${name} in the report`)
  return found
}

describe("every row of the state table", () => {
  test("starting: not ready before the first committed generation, whatever else holds", () => {
    const report = createReport(facts({generation: undefined}))
    expect(report).toMatchObject({ready: false, generation: null, committedAt: null})
  })

  test("starting → ready: first generation, database initialized, all requirements present and enabled", () => {
    expect(createReport(facts())).toMatchObject({ready: true, generation: 7, committedAt: "2026-01-02T03:04:06.000Z"})
  })

  test("starting → ready without a database if http.readiness.database is false, with the check listed", () => {
    const report = createReport(facts({databaseInitialized: false, required: requiring({database: false})}))
    expect(report.ready).toBe(true)
    expect(find(report, "database")).toMatchObject({required: false, ready: false, reason: "database_not_initialized"})
  })

  test("ready → not ready: a required slot does not exist", () => {
    const other = {...open, name: "irc~other"}
    const report = createReport(facts({endpoints: [other]}))
    expect(report.ready).toBe(false)
    expect(find(report, "endpoint", "irc~libera")).toMatchObject({required: true, reason: "slot_missing"})
  })

  test("a failing component that is not required is listed, and does not prevent readiness", () => {
    const report = createReport(
      facts({
        endpoints: [closed("endpoint_failed"), {...open, owner: "root/sandbox", name: "sandbox"}],
        plugins: {irc: "active", sandbox: "active"},
        required: {database: true, endpoints: [], agents: []},
      }),
    )
    expect(report.ready).toBe(true)
    expect(report.components.map(({kind, name, required, ready}) => `${kind} ${name} ${required} ${ready}`)).toEqual([
      "database database true true",
      "endpoint irc~libera false false",
      "endpoint sandbox false true",
      "agent writer false true",
    ])
  })
})

const notConfigured = (reason: BindingReason, message: string = readinessReasons[reason].message): Partial<Facts> => ({
  agents: {writer: {configured: false, reason, message, at: []}},
})

const causes: Record<ReadinessReason, Partial<Facts>> = {
  database_not_initialized: {databaseInitialized: false},
  database_unreachable: {databaseUnreachable: ""},
  disk_full: {generation: undefined, databaseInitialized: false, noSpace: ""},
  database_replaced: {
    databaseFailure: {code: "database_replaced", message: "", hint: "", since: at},
    required: requiring({database: false, endpoints: [], agents: []}),
  },
  database_damaged: {
    databaseDamage: {tables: [], since: at},
    required: requiring({database: false, endpoints: [], agents: []}),
  },
  last_good: {notStarted: ""},
  plugin_missing: {plugins: {}, endpoints: []},
  plugin_disabled: {plugins: {irc: "disabled"}, endpoints: []},
  plugin_failed: {plugins: {irc: "failed"}, endpoints: []},
  slot_missing: {endpoints: []},
  no_account: {
    endpoints: [{...closed("no_account"), name: "irc"}],
    required: requiring({endpoints: [{owner: "root/irc", name: "irc"}]}),
  },
  endpoint_failed: {endpoints: [closed("endpoint_failed")]},
  endpoint_closed: {endpoints: [closed("endpoint_closed")]},
  not_opened: {endpoints: [closed("not_opened")]},
  agent_missing: {agents: {}},
  agent_disabled: notConfigured("agent_disabled"),
  agent_provider_unknown: notConfigured("agent_provider_unknown"),
  agent_provider_missing: notConfigured("agent_provider_missing"),
  agent_model_missing: notConfigured("agent_model_missing"),
  agent_key_missing: notConfigured("agent_key_missing"),
  agent_instructions_missing: notConfigured("agent_instructions_missing"),
  agent_prices_missing: notConfigured("agent_prices_missing"),
  agent_mcp_wrong: notConfigured("agent_mcp_wrong"),
  agent_tool_missing: notConfigured("agent_tool_missing"),
}

describe("every reason", () => {
  test.each(Object.entries(causes))("%s is shown with a next step", (reason, more) => {
    const report = createReport(facts(more))
    expect(report.ready).toBe(false)
    const failing = report.components.filter(({ready}) => !ready)
    expect(failing).toHaveLength(1)
    expect(failing[0]).toMatchObject({
      required: true,
      reason,
      message: readinessReasons[reason as ReadinessReason].message,
      remediation: {text: expect.stringMatching(/\.$/), command: expect.stringMatching(/^svc /)},
    })
    expect(failing[0]?.remediation?.text).not.toMatch(/<plugin>|<name>/)
    expect(fits(ReadinessReport, report)).toBe(true)
  })

  test.each(["quarantined", "starting", "disposed"])("a plugin that is %s has failed", state => {
    expect(find(createReport(facts({plugins: {irc: state}, endpoints: []})), "endpoint").reason).toBe("plugin_failed")
  })

  test("that an adapter invented is shown as a closed endpoint", () => {
    expect(find(createReport(facts({endpoints: [closed("toString")]})), "endpoint").reason).toBe("endpoint_closed")
  })

  test("names the plugin and the account, whatever characters are in the name", () => {
    const named = {owner: "root/irc", name: "irc~$&"}
    const report = createReport(
      facts({endpoints: [{...closed("endpoint_failed"), name: "irc~$&"}], required: requiring({endpoints: [named]})}),
    )
    expect(find(report, "endpoint").remediation?.text).toContain("the account of irc~$&:")
  })
})

test("a plugin that a pinned configuration disables is enabled by a command, not by the file", () => {
  const disabled = facts({plugins: {irc: "disabled"}, endpoints: []})
  expect(find(createReport(disabled), "endpoint").remediation?.command).toBe("svc runtime reload")
  expect(find(createReport({...disabled, isPinned: true}), "endpoint")).toMatchObject({
    reason: "plugin_disabled",
    remediation: {command: "svc plugin enable irc"},
  })
})

describe("open admission without incoming events", () => {
  const paused = {state: "paused" as const, reasons: ["operator" as const], since: "2026-01-02T03:04:05.000Z"}
  const away = (state: EndpointFacts["state"]): EndpointFacts => ({...open, state})

  test.each<[string, Partial<Facts>, keyof typeof readyBut]>([
    ["without a connection", {endpoints: [away("connecting")]}, "not_connected"],
    ["while ingress is paused", {ingress: paused}, "ingress_paused"],
    ["with both", {ingress: paused, endpoints: [away("connecting")]}, "paused_and_not_connected"],
  ])("%s stays ready, and says so with a next step", (_, more, but) => {
    const message = readyBut[but].message.replace("<state>", "connecting").replace("<reasons>", "operator")
    expect(message).not.toMatch(/\bopen\b/)
    const report = createReport(facts(more))
    expect(report.ready).toBe(true)
    expect(find(report, "endpoint")).toMatchObject({
      ready: true,
      message,
      remediation: {command: readyBut[but].remediation.command},
    })
    expect(fits(ReadinessReport, report)).toBe(true)
  })

  test("comes first if it is required: after components that are not ready, before the rest", () => {
    const named = (name: string, state: EndpointFacts["state"]) => ({...open, name, state})
    const endpoints = [named("b", "online"), named("c", "reconnecting"), named("d", "connecting")]
    const required = requiring({endpoints: ["a", "b", "c"].map(name => ({owner: "root/irc", name}))})
    const {components} = createReport(facts({endpoints, required}))
    expect(components.map(({name}) => name)).toEqual(["a", "c", "database", "b", "d", "writer"])
  })
})

describe("a selector", () => {
  const reasonOf = (owner: string, name: string, endpoints: readonly EndpointFacts[]) => {
    const required = requiring({endpoints: [{owner, name}]})
    const report = createReport(facts({endpoints, plugins: {irc: "active", other: "active"}, required}))
    return report.components.find(component => component.required && component.kind === "endpoint")?.reason ?? "ready"
  }
  const sandbox: EndpointFacts = {...open, owner: "root/other", name: "sandbox"}

  test.each<[string, string, string]>([
    ["root/irc", "irc~libera", "ready"],
    ["root/irc", "irc", "slot_missing"],
    ["root/irc", "libera", "slot_missing"],
    ["root/irc", "Libera Chat", "slot_missing"],
    ["root/irc", "IRC~libera", "slot_missing"],
    ["root/irc", "irc~libera ", "slot_missing"],
    ["root/irc", "irc~*", "slot_missing"],
    ["root/irc", "root/irc/endpoint/irc~libera", "slot_missing"],
    ["root/other", "sandbox", "ready"],
    ["root/other", "sandbox~", "slot_missing"],
    ["root/other", "irc~libera", "slot_missing"],
    ["root/IRC", "irc~libera", "plugin_missing"],
    ["root/irc/", "irc~libera", "plugin_missing"],
    ["root/", "irc~libera", "plugin_missing"],
    ["root/constructor", "irc~libera", "plugin_missing"],
  ])("is exact: owner %s, name %s → %s", (owner, name, expected) => {
    expect(reasonOf(owner, name, [open, sandbox])).toBe(expected)
  })
})

describe("an agent", () => {
  test.each<[string, Facts["agents"], boolean]>([
    ["is ready when its binding is configured", {writer: {configured: true}}, true],
    ["is not ready when its binding is disabled", notConfigured("agent_disabled").agents ?? {}, false],
    ["is not ready when there is no such binding", {reader: {configured: true}}, false],
  ])("%s", (_, agents, ready) => {
    const report = createReport(facts({agents}))
    expect(report.ready).toBe(ready)
    expect(find(report, "agent", "writer")).toMatchObject({check: "binding_configured", required: true, ready})
  })

  test("that is not configured names the missing parts, and blocks readiness only if required", () => {
    const said = "The binding has no key: set it."
    const report = createReport(facts({...notConfigured("agent_key_missing", said), required: requiring({agents: []})}))
    expect(report.ready).toBe(true)
    expect(find(report, "agent", "writer")).toMatchObject({
      required: false,
      ready: false,
      reason: "agent_key_missing",
      message: said,
      remediation: {text: expect.stringContaining("agents.writer.key to ${NAME}"), command: "svc runtime reload"},
    })
  })

  test("named like a property of every object is missing", () => {
    const report = createReport(facts({required: requiring({agents: ["constructor", "__proto__"]})}))
    expect(find(report, "agent", "constructor").reason).toBe("agent_missing")
    expect(find(report, "agent", "__proto__").reason).toBe("agent_missing")
  })
})

test("the report has generation and time, and for each component exactly what its check proves", () => {
  const report = createReport(facts({failure: "svc.config.yml:5:9 …"}))
  expect(fits(ReadinessReport, report)).toBe(true)
  expect(report).toEqual({
    schema: "svc.readiness/1",
    ready: true,
    generation: 7,
    committedAt: "2026-01-02T03:04:06.000Z",
    checkedAt: "2026-01-02T03:04:10.000Z",
    authority: "0190a6e0-0000-7000-8000-000000000000",
    lastFailure: "svc.config.yml:5:9 …",
    ingress: {state: "open", reasons: [], since: "2026-01-02T03:04:05.000Z"},
    components: [
      {
        kind: "database",
        name: "database",
        required: true,
        ready: true,
        check: "initialized",
        message: "The database is initialized.",
        since: "2026-01-02T03:04:05.000Z",
        proves: "opened and migrated, not a live SQL test",
      },
      {
        kind: "endpoint",
        owner: "root/irc",
        name: "irc~libera",
        required: true,
        ready: true,
        check: "admission_open",
        state: "online",
        message: "The endpoint admits events.",
        since: "2026-01-02T03:04:07.000Z",
        proves: "admission only, not transport connectivity",
      },
      {
        kind: "agent",
        name: "writer",
        required: true,
        ready: true,
        check: "binding_configured",
        message: "The binding is configured.",
        since: "2026-01-02T03:04:06.000Z",
        proves: "configuration only, not provider credential validation",
      },
    ],
  })
})
