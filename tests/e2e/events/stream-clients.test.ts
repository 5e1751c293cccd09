import {expect, test} from "vitest"
import {readHistoryOf} from "../../support/events/reader.ts"
import {bunAnd, freePort, makeProject, startHost, until} from "../../support/host/host.ts"
import {describeWithChromium} from "../../support/machine/chromium.ts"
import {chromiumClient, curlClient, npmClient, servePage, undiciClient} from "./stream-clients.ts"

const token = "the-full-token-of-the-clients"

describeWithChromium("event stream clients by other authors", () => {
  test.each(bunAnd("node22"))(
    "curl, eventsource, undici and Chromium miss and repeat nothing across restarts, on $name",
    async runtime => {
      const origin = await servePage()
      const port = await freePort()
      const config = `http: {port: ${port}, token: "\${HTTP_TOKEN}", corsOrigins: ["${new URL(origin).origin}"]}\nplugins: {sandbox: {}}\n`
      const project = makeProject({config})
      const start = () => startHost({own: true, runtime, project, env: {HTTP_TOKEN: token}})
      let host = await start()
      const stream = {url: `${host.url}/api/events`, token}
      const clients = [
        npmClient(stream),
        undiciClient(stream),
        curlClient(stream),
        await chromiumClient(origin, stream),
      ]
      for (const {name, isOpen} of clients) await until(`${name} to connect`, isOpen)
      const before = (await readHistoryOf(host)).at(-1)?.id ?? ""
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        await host.say(`before ${signal}`)
        await host.stop(signal)
        host = await start()
      }
      await host.say("last")
      const stored = (await readHistoryOf(host)).map(({id}) => id)
      const wanted = stored.slice(stored.indexOf(before) + 1)
      expect(wanted.length).toBeGreaterThan(12)
      for (const {name, ids} of clients) {
        await until(`${name} to receive the last event`, () => ids().includes(wanted.at(-1) ?? ""))
        // A client may connect in time to receive events of the Host's start.
        const first = stored.indexOf(ids()[0] ?? "")
        expect(first, name).toBeLessThanOrEqual(stored.indexOf(wanted[0] ?? ""))
        // The client may also have received later events.
        expect(ids().slice(0, stored.length - first), name).toEqual(stored.slice(first))
      }
    },
    180_000,
  )
})
