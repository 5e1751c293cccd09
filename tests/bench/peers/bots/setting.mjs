import {createServer} from "node:http"
import {createRequire} from "node:module"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"

/** What the bench tells each bot: where to listen, where the platform is, and how long a command takes in milliseconds. */
export const {PORT = "", PLATFORM = "", FRAMEWORKS = "", PAUSE = "0"} = process.env

/** Loads packages that the bench has installed. */
export const load = createRequire(join(FRAMEWORKS, "package.json"))

/** The names of the commands of every bot. */
export const commands = Array.from({length: 100}, (_, index) => `cmd${index}`)

/** The work of a command. */
export const answer = async text => {
  if (PAUSE !== "0") await sleep(Number(PAUSE))
  return `pong ${text}`
}

/** The small HTTP door of a framework that brings none: a message in, 200 once `take` has it. */
export const listen = take => {
  const server = createServer((request, response) => {
    const chunks = []
    request.on("data", chunk => chunks.push(chunk))
    request.on("end", () => {
      take(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(200, {"content-length": 2}).end("{}")
    })
  })
  server.listen(Number(PORT), "127.0.0.1")
}

/** Says something on the platform; rejects where it does not take that. */
export const say = async (channel, text) => {
  const headers = {"content-type": "application/json"}
  const response = await fetch(`${PLATFORM}/reply`, {method: "POST", headers, body: JSON.stringify({channel, text})})
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the platform answered ${response.status}`)
}
