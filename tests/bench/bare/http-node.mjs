/** The yardstick on Node: `node:http` that answers every request with the same bytes. Arguments: port, answer as JSON. */
import {createServer} from "node:http"

const [port, answer = "{}"] = process.argv.slice(2)
const {status, headers, body} = JSON.parse(answer)
const all = {...headers, "content-length": String(Buffer.byteLength(body))}

createServer((_, response) => {
  response.writeHead(status, all)
  response.end(body)
}).listen(Number(port), "127.0.0.1")
