import {startHost, type TestHost, type TestRuntime, until} from "../../support/host/host.ts"
import {hookPlugin} from "../../support/plugins/hook-plugin.ts"
import {tickerPlugin} from "../../support/plugins/ticker-plugin.ts"
import {answersPlugin, secrets} from "../../support/webhooks/host.ts"

export {secrets}

/** The path of the stand-in for a platform, which reports what reached its adapter. */
export const hookPath = "/hooks/shop/hook~one"

/** The path of the built-in adapter for signed webhooks. */
export const signedPath = "/hooks/webhook/webhook~partner"

const config = (port: number) => `http:
  port: ${port}
  token: \${HTTP_TOKEN}
  trustedProxies: [127.0.0.1]
plugins:
  sandbox: {}
  answers: {}
  ticker: {}
  webhook:
    endpoints:
      - id: partner
        secrets:
          - \${SHOP_SECRET}
  shop:
    use: ./plugins/shop.ts
    endpoints:
      - id: one
`

/** Starts a Host behind a local gateway; waits until its endpoints are open. Port 0 picks a free port. */
export const startHostBehind = async (runtime: TestRuntime, port = 0): Promise<TestHost> => {
  const host = await startHost({
    own: true,
    runtime,
    config: config(port),
    plugins: {answers: answersPlugin, ticker: tickerPlugin, shop: hookPlugin},
    env: {...secrets, SVC_SUPERVISOR: "test"},
  })
  await until("the endpoints to be open", async () => {
    const {items} = await host.get("/api/endpoints")
    return items.every(({state}) => state !== "connecting")
  })
  return host
}

/** Raises this number of events, which no handler handles. */
export const tick = (host: TestHost, count: number): Promise<unknown> =>
  host.plugin("/api/plugins/ticker/ticks", {count})
