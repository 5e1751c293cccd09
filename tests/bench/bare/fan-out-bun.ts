/** The event stream's yardstick: `Bun.serve` sends the same frames to all clients, one at a time. Arguments: port. */
import {frameOf, tick} from "./frames.mjs"

const clients = new Set<ReadableStreamDefaultController<Uint8Array>>()
const encoder = new TextEncoder()

const open = () => {
  let own: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      own = controller
      clients.add(controller)
    },
    cancel: () => {
      if (own !== undefined) clients.delete(own)
    },
  })
  return new Response(body, {headers: {"content-type": "text/event-stream"}})
}

const send = (n: number) => {
  const bytes = encoder.encode(frameOf(n))
  for (const client of clients) client.enqueue(bytes)
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 0,
  fetch: async request => {
    const {pathname} = new URL(request.url)
    if (pathname === "/api/events") return open()
    if (request.method === "POST") void tick(await request.json(), send)
    return new Response("{}")
  },
})
