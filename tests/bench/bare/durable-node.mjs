/** The yardstick of the durable path on Node: `node:http` that checks and stores messages. Arguments: port, secret. */
import {createServer} from "node:http"
import {openInbox} from "./inbox.mjs"

const [port, secret = ""] = process.argv.slice(2)
const take = await openInbox(secret)

createServer((request, response) => {
  if (request.method === "GET") return response.end("{}")
  const chunks = []
  request.on("data", chunk => chunks.push(chunk))
  request.on("end", () => {
    const message = {
      id: request.headers["webhook-id"] ?? "",
      timestamp: request.headers["webhook-timestamp"] ?? "",
      signature: request.headers["webhook-signature"] ?? "",
      body: Buffer.concat(chunks).toString(),
    }
    take(message, status => {
      response.writeHead(status, {"content-length": "2"})
      response.end("{}")
    })
  })
}).listen(Number(port), "127.0.0.1", 4096)
