/**
 * The yardstick of the event stream on Node: `node:http` that sends the same frames to every client, one at a time, and
 * stores nothing. Arguments: port.
 */
import {createServer} from "node:http"
import {frameOf, tick} from "./frames.mjs"

const clients = new Set()

const send = n => {
  const bytes = Buffer.from(frameOf(n))
  for (const client of clients) client.write(bytes)
}

createServer(async (request, response) => {
  if (request.url === "/api/events") {
    response.writeHead(200, {"content-type": "text/event-stream"})
    response.flushHeaders()
    clients.add(response)
    response.once("close", () => clients.delete(response))
    return
  }
  let body = ""
  for await (const chunk of request) body += chunk
  if (request.method === "POST") void tick(JSON.parse(body), send)
  response.end("{}")
}).listen(Number(process.argv[2]), "127.0.0.1", 4096)
