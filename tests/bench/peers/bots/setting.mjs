import {createServer} from "node:http"
import {createRequire} from "node:module"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"

/** The settings of each bot: its port, the platform's address, and the duration of a command in milliseconds. */
export const {PORT = "", PLATFORM = "", FRAMEWORKS = "", PAUSE = "0"} = process.env

/** Loads packages that the bench has installed. */
export const load = createRequire(join(FRAMEWORKS, "package.json"))

/** The names of every bot's commands. */
export const commands = Array.from({length: 100}, (_, index) => `cmd${index}`)

/** The work of a command. */
export const answer = async text => {
  if (PAUSE !== "0") await sleep(Number(PAUSE))
  return `pong ${text}`
}

/** A small HTTP server for frameworks without one: receives a message and answers 200 once `take` has accepted it. */
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

/** Sends a message on the platform; rejects if the platform refuses it. */
export const say = async (channel, text) => {
  const headers = {"content-type": "application/json"}
  const response = await fetch(`${PLATFORM}/reply`, {method: "POST", headers, body: JSON.stringify({channel, text})})
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the platform answered ${response.status}`)
}
