/** The yardstick of the durable path on Bun: `Bun.serve` that checks and stores messages. Arguments: port, secret. */
import {openInbox} from "./inbox.mjs"

const [port, secret = ""] = process.argv.slice(2)
const take = await openInbox(secret)

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch: async request => {
    if (request.method === "GET") return new Response("{}")
    const message = {
      id: request.headers.get("webhook-id") ?? "",
      timestamp: request.headers.get("webhook-timestamp") ?? "",
      signature: request.headers.get("webhook-signature") ?? "",
      body: await request.text(),
    }
    const status = await new Promise<number>(answer => take(message, answer))
    return new Response("{}", {status})
  },
})
