import {type HostOptions, pluginWith, startHost, type TestHost, until} from "../host/host.ts"
import {deliver, secretOf} from "./webhooks.ts"

export const secrets = {
  HTTP_TOKEN: "full-token-of-the-test",
  SHOP_SECRET: secretOf("current"),
  SHOP_SECRET_OLD: secretOf("old"),
}

/** The `secrets:` of an account, as lines of YAML. */
const secretLines = (names: readonly string[]) => names.map(name => `          - \${${name}}\n`).join("")

export interface WebhookOptions extends HostOptions {
  /** The address to which the account posts. */
  readonly url?: string
  readonly names?: readonly string[]
}

export const webhookConfig = ({
  url,
  names = ["SHOP_SECRET"],
}: WebhookOptions = {}): string => `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  answers: {}
  webhook:
    endpoints:
      - id: shop
${url === undefined ? "" : `        url: ${url}\n`}        secrets:
${secretLines(names)}`

/** Answers each message with its text, and notes the payload of each platform-specific event. */
export const answersPlugin = pluginWith(`
    plugin.on("message-created", session => "got " + session.text)
    plugin.on("internal", session => note(JSON.stringify([session.event._type, session.event._data])))`)

/** Waits until the account `webhook~shop` is open or failed: a Host serves before its endpoints are open. */
export const untilShop = (host: TestHost): Promise<unknown> =>
  until("webhook~shop to be open", async () => {
    const {items} = await host.get("/api/endpoints")
    return items.every(({name, state}) => name !== "webhook~shop" || state !== "connecting")
  })

/** A Host with one open account `webhook~shop`, and its address for the partner. */
export const startWebhookHost = async (
  options: WebhookOptions = {},
): Promise<{host: TestHost; hook: string; say: (body: object, id: string, secret?: string) => Promise<Response>}> => {
  const host = await startHost({
    config: webhookConfig(options),
    plugins: {answers: answersPlugin},
    ...options,
    env: {...secrets, ...options.env},
  })
  await untilShop(host)
  const hook = `${host.url}/hooks/webhook/webhook~shop`
  return {
    host,
    hook,
    say: (body, id, secret = secrets.SHOP_SECRET) => deliver(hook, JSON.stringify(body), {id, secret}),
  }
}
