import {spawnSync} from "node:child_process"
import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {parse} from "yaml"
import {commands} from "../../../cli/commands.ts"
import {metrics, processMetrics} from "../../../shared/metrics/table.ts"
import {makeFolder} from "../../support/host/project.ts"
import {root} from "../../support/host/runtimes.ts"
import {describeWith, tool} from "../../support/machine/tools.ts"
import {dashboard, monitoringFolder, namesIn, recorded, rules, ruleTests} from "../../support/metrics/monitoring.ts"

const known = new Set([...Object.keys(metrics), ...Object.keys(processMetrics), "up", ...recorded])

test("every alert names project, run, the endpoint if it is about one, and a command", () => {
  expect(rules.length).toBeGreaterThan(20)
  for (const {alert, expr, labels, annotations} of rules) {
    expect(labels, alert).toMatchObject({
      severity: expect.stringMatching(/^(warning|critical)$/),
      Project: expect.stringContaining("$labels.project"),
      runtimeId: expect.stringContaining("$labels.runtime_id"),
    })
    if (/svc_endpoint_|kind="endpoint"|svc_inbox_|svc_outbox_|svc_dead_letters/.test(expr))
      expect(labels.Endpoint, alert).toMatch(/\$labels\.(endpoint|name)/)
    expect(annotations.summary, alert).toBeTruthy()
    expect(annotations.remediation, alert).toMatch(
      /\b(svc (?:[a-z]+|\{\{ \$labels\.box \}\}) |svc doctor|GET \/api\/|df -h|journalctl|events\.history|du -h)/,
    )
  }
})

test("the command in an alert exists", () => {
  const words = rules.flatMap(({annotations: {remediation = ""}}) =>
    ["inbox", "outbox"].flatMap(box =>
      [...remediation.replaceAll("{{ $labels.box }}", box).matchAll(/\bsvc ([a-z]+)(?: ([a-z]+))?/g)].map(
        ([, first = "", second = ""]) => (first in commands ? first : `${first} ${second}`),
      ),
    ),
  )
  expect(words.length).toBeGreaterThan(20)
  expect(words.filter(each => !(each in commands))).toEqual([])
})

test("the eight subjects of monitoring have an alert each, as do an outside probe and a pause", () => {
  const covered = {
    "HTTP probe": /^up|\bup\{/,
    "HTTP probe from outside": /probe_success\{job="svc-ready"\} == 0/,
    "restart count": /svc_starts_total/,
    "endpoint online status": /svc_endpoint_online/,
    "event-stream recovery gaps": /svc_event_stream_gaps_total/,
    "log error rate": /rate\(svc_log_records_total\{level=~"error\|fatal"\}/,
    "database capacity": /svc_database_capacity_ratio/,
    "blocked workroom items": /svc_workroom_items\{state="blocked"\}/,
    "agent failure and cancellation ratio": /svc_agent_runs_total\{outcome=~"failed\|cancelled"\}/,
    "ingress paused": /svc_ingress_paused_since_timestamp_seconds > 900/,
  }
  expect(Object.entries(covered).filter(([, expression]) => !rules.some(({expr}) => expression.test(expr)))).toEqual([])
})

test("the tests of the rules expect every alert to fire, but not before its time", () => {
  const lacking = rules.filter(({alert}) => {
    const expects = ruleTests.flatMap(({promql_expr_test}) => {
      const fires = promql_expr_test.map(({exp_samples}) =>
        exp_samples.some(({labels}) => labels.includes(`alertname="${alert}"`)),
      )
      return fires.includes(true) ? [fires] : []
    })
    return expects.length === 0 || !expects.some(fires => fires.includes(false))
  })
  expect(lacking.map(({alert}) => alert)).toEqual([])
})

test("rules, their tests and the dashboard use metrics of the table, and the dashboard shows all", () => {
  const expressions = [...rules.map(({expr}) => expr), ...dashboard.expressions]
  const shown = new Set(dashboard.expressions.flatMap(namesIn))
  expect(expressions.flatMap(namesIn).filter(name => !known.has(name))).toEqual([])
  const series = ruleTests.flatMap(({input_series}) => input_series.flatMap(({series: text}) => namesIn(text)))
  expect(series.filter(name => !known.has(name))).toEqual([])
  expect([...known].filter(name => !shown.has(name) && !recorded.includes(name))).toEqual([])
})

test("rules and dashboard use labels that the metric has in the table", () => {
  const ofTarget = ["job", "instance", "project", "le"]
  const wrong = [...rules.map(({expr}) => expr), ...dashboard.expressions].flatMap(expression =>
    [...expression.matchAll(/\b(svc_[a-z_]+?)(?:_bucket|_sum)?\{([^}]*)\}/g)].flatMap(
      ([, name = "", matchers = ""]) => {
        const {labels = []} = Object.entries(metrics).find(([each]) => each === name)?.[1] ?? {}
        const allowed: readonly string[] = [...ofTarget, ...labels]
        return [...matchers.matchAll(/([a-z_]+)(?:=~|!=|=)/g)]
          .filter(([, label = ""]) => !allowed.includes(label))
          .map(([, label]) => `${name}{${label}}`)
      },
    ),
  )
  expect(wrong).toEqual([])
})

describeWith("promtool")("for promtool", () => {
  const promtool = (...args: readonly string[]) => {
    const {status, stdout, stderr} = spawnSync(tool("promtool").path, args, {encoding: "utf8"})
    return {status, output: stdout + stderr}
  }

  test("the rules are valid, and each fires exactly when it should", () => {
    expect(promtool("check", "rules", `${monitoringFolder}svc.rules.yml`)).toMatchObject({status: 0})
    const {status, output} = promtool("test", "rules", `${monitoringFolder}svc.rules.test.yml`)
    expect(output).toContain("SUCCESS")
    expect(status).toBe(0)
  }, 480_000)

  test("the scrape example is valid with the rules and a token file", () => {
    const folder = makeFolder()
    for (const file of ["prometheus.yml", "svc.rules.yml"])
      writeFileSync(join(folder, file), readFileSync(`${monitoringFolder}${file}`))
    expect(promtool("check", "config", join(folder, "prometheus.yml")).status).toBe(1)
    writeFileSync(join(folder, "svc-token"), "token")
    expect(promtool("check", "config", join(folder, "prometheus.yml"))).toMatchObject({status: 0})
    const {scrape_configs: jobs} = parse(readFileSync(`${monitoringFolder}prometheus.yml`, "utf8"))
    expect(jobs).toMatchObject([
      {job_name: "svc", metrics_path: "/api/metrics"},
      {job_name: "svc-ready", metrics_path: "/probe", params: {module: ["http_2xx"]}},
    ])
    const [, {static_configs: outside, relabel_configs: relabel}] = jobs
    expect(outside[0].targets).toEqual([expect.stringMatching(/^https:\/\/.*\/pub\/ready$/)])
    expect(relabel).toContainEqual({source_labels: ["__address__"], target_label: "__param_target"})
  })

  test("every expression of the dashboard is valid", () => {
    const file = join(makeFolder(), "dashboard.yml")
    const asRules = dashboard.expressions.map((expr, index) => ({record: `panel:${index}`, expr: concrete(expr)}))
    expect(asRules.length).toBeGreaterThan(40)
    writeFileSync(file, JSON.stringify({groups: [{name: "dashboard", rules: asRules}]}))
    expect(promtool("check", "rules", file)).toMatchObject({status: 0})
  })
})

/** Fills in the variables as Grafana does before Prometheus sees them. */
const concrete = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")

test("the page on monitoring names every alert", () => {
  const page = readFileSync(join(root, "docs/monitoring.md"), "utf8")
  expect(rules.filter(({alert}) => !page.includes(alert)).map(({alert}) => alert)).toEqual([])
})
