import {readFileSync} from "node:fs"
import {join} from "node:path"
import {parse} from "yaml"
import {root} from "../host/runtimes.ts"

export const monitoringFolder = join(root, "container/monitoring/")

const read = (file: string) => readFileSync(join(monitoringFolder, file), "utf8")

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface RecordingRule {
  readonly record: string
  readonly expr: string
}

interface RuleTest {
  readonly input_series: readonly {readonly series: string}[]
  readonly promql_expr_test: readonly {readonly exp_samples: readonly {readonly labels: string}[]}[]
}

const all = (parse(read("svc.rules.yml")) as {groups: {rules: (AlertRule | RecordingRule)[]}[]}).groups.flatMap(
  group => group.rules,
)

export const rules: readonly AlertRule[] = all.flatMap(rule => ("alert" in rule ? [rule] : []))

export const recorded: readonly string[] = all.flatMap(rule => ("record" in rule ? [rule.record] : []))

export const ruleTests = (parse(read("svc.rules.test.yml")) as {tests: readonly RuleTest[]}).tests

interface Dashboard {
  readonly annotations: {readonly list: readonly {readonly expr: string}[]}
  readonly panels: readonly {readonly targets?: readonly {readonly expr: string}[]}[]
}

const {panels, annotations} = JSON.parse(read("grafana-dashboard.json")) as Dashboard

export const dashboard = {
  expressions: [
    ...panels.flatMap(({targets = []}) => targets.map(({expr}) => expr)),
    ...annotations.list.map(({expr}) => expr),
  ],
}

/** The metrics in an expression; for a histogram, the metric itself and not its parts. */
export const namesIn = (expression: string): readonly string[] =>
  [...expression.replace(/"[^"]*"/g, "").matchAll(/\b(?:svc_|process_|nodejs_|svc:)[a-z_:]+|\bup\b/g)].map(([name]) =>
    name.replace(/_(bucket|sum)$/, ""),
  )
