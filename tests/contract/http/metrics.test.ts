import {execFileSync} from "node:child_process"
import {describe, expect, test} from "vitest"
import {metrics, processMetrics} from "../../../shared/metrics/table.ts"
import {bunAnd, expectProblem, shared, startHost} from "../../support/host/host.ts"
import {describeWith, tool} from "../../support/machine/tools.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"

const env = {HTTP_TOKEN: "full-token-of-the-metrics", DEMO_TOKEN: "demo-token-of-the-metrics"}
const config = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins: {sandbox: {}}
`

describe.each(bunAnd("node22"))("the metrics of a Host on $name", runtime => {
  const common = shared(() => startHost({runtime, config, env}))

  test("list every metric of the table and no other, in the Prometheus text format", async () => {
    const host = common()
    const response = await host.fetch("/api/metrics")
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect(response.headers.get("cache-control")).toBe("no-store")
    const {names} = await metricsOf(host)
    expect([...names].sort()).toEqual([...Object.keys(metrics), ...Object.keys(processMetrics)].sort())
  })

  test("are readable with the demo token, but not with another one or none", async () => {
    const host = common()
    const read = (token: string) => fetch(`${host.url}/api/metrics`, {headers: {authorization: `Bearer ${token}`}})
    expect((await read(env.DEMO_TOKEN)).status).toBe(200)
    await expectProblem(await read("another-token"), 401, "unauthorized")
    await expectProblem(await fetch(`${host.url}/api/metrics`), 401, "unauthorized")
  })

  test("count requests by route template, method and status class, not by path", async () => {
    const host = await startHost({runtime, config, env})
    for (const seq of [7, 8]) expect((await host.fetch(`/api/inbox/${seq}`)).status).toBe(404)
    expect((await host.fetch("/api/system/status")).status).toBe(200)
    expect((await fetch(`${host.url}/api/system/status`)).status).toBe(401)
    expect((await host.fetch("/api/nowhere/secret-path")).status).toBe(404)
    expect((await host.fetch("/api/system/status", {method: "DELETE"})).status).toBe(405)
    const page = await metricsOf(host)
    const requests = (labels: Record<string, string>) => page.value("svc_http_requests_total", labels)
    expect(requests({method: "GET", route: "/api/inbox/:seq", status: "4xx"})).toBe(2)
    expect(requests({method: "GET", route: "/api/system/status", status: "2xx"})).toBe(1)
    expect(requests({method: "GET", route: "/api/system/status", status: "4xx"})).toBe(1)
    expect(requests({route: "unmatched", status: "4xx"})).toBe(2)
    const latency = (name: string, more = {}) =>
      page.value(`svc_http_request_seconds_${name}`, {method: "GET", route: "/api/inbox/:seq", ...more})
    expect(latency("count")).toBe(2)
    expect(latency("bucket", {le: "+Inf"})).toBe(2)
    expect(latency("sum")).toBeGreaterThan(0)
    expect(latency("bucket", {le: "60"})).toBe(2)
    expect(page.text).not.toContain("secret-path")
  })

  describeWith("promtool")("for promtool", () => {
    test("are valid on an idle page and on a busy one", async () => {
      const host = await startHost({runtime, config, env})
      const check = async () =>
        execFileSync(tool("promtool").path, ["check", "metrics"], {
          input: (await metricsOf(host)).text,
          encoding: "utf8",
        })
      expect(await check()).toBe("")
      await host.say("/help")
      expect((await metricsOf(host)).value("svc_handler_ends_total", {owner: "host", outcome: "handled"})).toBe(1)
      expect(await check()).toBe("")
    })
  })
})
