import {expect, test} from "vitest"
import {bunOr, startHost, until} from "../../support/host/host.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {awayPlugin} from "../../support/plugins/away-plugin.ts"
import {firing, startPrometheus} from "./prometheus.ts"

const env = {HTTP_TOKEN: "full-token-for-prometheus", DEMO_TOKEN: "demo-token-for-prometheus"}
const options = {
  config: 'http: {port: 0, token: "${HTTP_TOKEN}", demoToken: "${DEMO_TOKEN}"}\nplugins: {sandbox: {}, away: {}}\n',
  plugins: {away: awayPlugin},
  env,
}

describeWith("prometheus")("a real Prometheus with the scrape example and the rules", () => {
  test.each(bunOr("node22"))(
    "scrapes with a demo token, and alerts for an offline endpoint and a killed Host, on $name",
    async runtime => {
      const host = await startHost({own: true, ...options, runtime})
      const prometheus = await startPrometheus(host.url, env.DEMO_TOKEN)
      expect(await prometheus.target("up")).toMatchObject({lastError: ""})
      const online = 'svc_endpoint_online{endpoint="away"}'
      await until("the endpoint to be scraped", async () => (await prometheus.query(online))[0]?.value === 1)
      // A slow scrape may trigger another alert for a moment.
      await until("no alerts", async () => (await prometheus.alerts()).length === 0)

      host.project.write("away", "")
      const offline = await firing(prometheus, "SvcEndpointOffline")
      expect(offline.labels).toMatchObject({Endpoint: "away", Project: "my-bot", runtimeId: host.runtimeId})
      expect(offline.annotations.remediation).toContain("svc endpoint show away")
      const gap = await firing(prometheus, "SvcEndpointGap")
      expect(gap.labels).toMatchObject({Endpoint: "away", runtimeId: host.runtimeId})

      await host.stop("SIGKILL")
      const down = await firing(prometheus, "SvcHostDown")
      expect(down.labels).toMatchObject({Project: "my-bot", runtimeId: host.runtimeId})
      for (const {annotations} of [offline, gap, down]) {
        expect(Object.values(annotations).join()).not.toMatch(/<error|\{\{|<no value>/)
      }
    },
  )

  test("reports a target with a wrong token as down, and the alert names the project", async () => {
    const prometheus = await startPrometheus((await startHost(options)).url, "a-wrong-token")
    await prometheus.target("down", "401")
    const {labels} = await firing(prometheus, "SvcHostDown")
    expect(labels).toMatchObject({Project: "my-bot", runtimeId: "unknown"})
  })
})
