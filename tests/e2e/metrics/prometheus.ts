import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {isOk, startProcess, until} from "../../support/host/process.ts"
import {makeFolder} from "../../support/host/project.ts"
import {freePort} from "../../support/machine/ports.ts"
import {tool} from "../../support/machine/tools.ts"
import {monitoringFolder} from "../../support/metrics/monitoring.ts"

export interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: "pending" | "firing"
}

interface Target {
  readonly health: "up" | "down" | "unknown"
  readonly lastError: string
  readonly scrapeUrl: string
}

export interface Prometheus {
  target(health: "up" | "down", error?: string): Promise<Target>
  alerts(): Promise<readonly Alert[]>
  /** Runs an instant query. Resolves to the values by the series' labels. */
  query(
    expression: string,
  ): Promise<readonly {readonly metric: Readonly<Record<string, string>>; readonly value: number}[]>
}

/** Debian's Prometheus with svc's scrape example and rules: scrapes every half second, each `for` is two seconds. */
export const startPrometheus = async (hostUrl: string, token: string): Promise<Prometheus> => {
  const folder = makeFolder()
  const example = readFileSync(join(monitoringFolder, "prometheus.yml"), "utf8")
  const rules = readFileSync(join(monitoringFolder, "svc.rules.yml"), "utf8")
  const config = example
    .replaceAll(/_interval: 15s/g, "_interval: 500ms")
    .replace("127.0.0.1:8068", new URL(hostUrl).host)
  if (!config.includes("500ms") || config.includes(':8068"]')) throw new Error("the scrape example has changed")
  writeFileSync(join(folder, "prometheus.yml"), config)
  writeFileSync(join(folder, "svc.rules.yml"), rules.replaceAll(/for: \d+[mh]/g, "for: 2s"))
  writeFileSync(join(folder, "svc-token"), token, {mode: 0o600})
  const {path, env} = tool("prometheus")
  const url = `http://127.0.0.1:${await freePort()}`
  const running = startProcess(
    [path, "--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=${new URL(url).host}`],
    {cwd: folder, env},
  )
  const ask = async <T>(path: string): Promise<T> => {
    const {data} = (await (await fetch(`${url}${path}`)).json()) as {data: T}
    return data
  }
  await until("Prometheus to be ready", () => isOk(`${url}/-/ready`)).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  return {
    target: (health, error = "") =>
      until(`a scrape that is ${health} ${error}`, async () => {
        const {activeTargets} = await ask<{activeTargets: readonly Target[]}>("/api/v1/targets")
        const [target] = activeTargets
        return target?.health === health && target.lastError.includes(error) && target
      }),
    alerts: async () => (await ask<{alerts: readonly Alert[]}>("/api/v1/alerts")).alerts,
    query: async expression => {
      const {result} = await ask<{
        result: readonly {metric: Record<string, string>; value: readonly [number, string]}[]
      }>(`/api/v1/query?query=${encodeURIComponent(expression)}`)
      return result.map(({metric, value}) => ({metric, value: Number(value[1])}))
    },
  }
}

export const firing = (prometheus: Prometheus, name: string): Promise<Alert> =>
  until(`${name} to fire`, async () =>
    (await prometheus.alerts()).find(({labels, state}) => labels.alertname === name && state === "firing"),
  )
