import {once} from "node:events"
import {type AddressInfo, createServer} from "node:net"
import {Client} from "../../../server/adapters/matrix/client/client.ts"
import {People} from "../../../server/adapters/slack/incoming/people.ts"
import {withDeadline} from "../../../shared/sdk/sdk.ts"

/** Asks servers that fall silent, while memory is collected. Prints how each question ended, then ends by itself. */

const {gc} = globalThis
if (gc === undefined) throw new Error("run this with --expose-gc")
setInterval(() => gc(), 20).unref()
setTimeout(() => process.exit(1), 60_000).unref()

/** Resolves to the address of a server that sends this much of an answer. */
const listen = async (start: string): Promise<string> => {
  const server = createServer(socket => socket.unref().once("data", () => socket.write(start))).listen(0, "127.0.0.1")
  await once(server.unref(), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const silent = await listen("")
const halfway = await listen("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")
const {signal} = new AbortController()
const ask = (url: string) =>
  new Client(url)
    .ask("GET", "/", {signal, patience: 500})
    .then(() => "answered")
    .catch(({message}: Error) => message.replace(url, "it"))
const people = new People(async (_, __, limit) => ({ok: (await fetch(silent, {signal: limit})).ok}), signal)
const ended = await Promise.all([ask(silent), ask(halfway), people.complete({id: "U1"})])
process.stdout.write(JSON.stringify(ended))
void withDeadline(600_000, () => new Promise(() => {}))
