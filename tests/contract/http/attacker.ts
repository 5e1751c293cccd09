import {connect, type Socket} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"
import {parentPort, workerData} from "node:worker_threads"

/** One attack on a port of this machine, in a thread beside the test. `seed` chooses the malformed requests. */
export interface Attack {
  readonly port: number
  readonly name: string
  /** The number of connections. */
  readonly count: number
  readonly seconds: number
  readonly seed: number
}

const {port, name, count, seconds, seed} = workerData as Attack
const end = performance.now() + seconds * 1000
const isOver = () => performance.now() >= end
const sockets = new Set<Socket>()

const open = (text: string, isRead = true): Socket => {
  const socket = connect(port, "127.0.0.1", () => socket.write(text))
  sockets.add(socket)
  socket.on("error", () => {})
  socket.on("close", () => sockets.delete(socket))
  if (isRead) socket.resume()
  else socket.pause()
  return socket
}

const openMany = (make: () => Socket) => Array.from({length: count}, make)

const get = (path: string, host = "a") => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

/** Sends one byte on each connection every half second. */
const trickle = async (text: string) => {
  const trickling = openMany(() => open(text))
  while (!isOver()) {
    for (const socket of trickling) if (socket.writable) socket.write("x")
    await sleep(500)
  }
}

const inTurns = (every: number, wave: () => unknown) => async () => {
  while (!isOver()) {
    wave()
    await sleep(every)
    for (const socket of sockets) socket.destroy()
  }
}

let state = seed >>> 0
const choose = (most: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state % most
}

const hosts = ["a@b/c", "a,b", "a b", "a\\b", "", "a:99999", "[::1", "a\u0001b"]
const lines = [
  "GET",
  "GET /",
  "GET / HTTP/9.9",
  "\0\0\0\0",
  "GET /%00 HTTP/1.1",
  "GET * HTTP/1.1",
  "CONNECT a:1 HTTP/1.1",
]
const malformed = () =>
  choose(2) === 0
    ? get("/console/", hosts[choose(hosts.length)])
    : `${lines[choose(lines.length)]}\r\nHost: a\r\nContent-Length: ${choose(3) === 0 ? "x" : -1}\r\n\r\n`

const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
  idle: async () => {
    openMany(() => open(""))
    await sleep(seconds * 1000)
  },
  parallel: async () => {
    for (const socket of openMany(() => open(get("/pub/ready")))) {
      socket.on("data", () => {
        if (!isOver()) socket.write(get("/pub/ready"))
      })
    }
    await sleep(seconds * 1000)
  },
  "slow headers": () => trickle("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "),
  "slow bodies": () => trickle("POST /hooks/a/a~b HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"),
  "unread answers": async () => {
    openMany(() => open(get("/console/"), false))
    await sleep(seconds * 1000)
  },
  "pipelined, unread": inTurns(600, () => openMany(() => open(get("/console/").repeat(200), false))),
  malformed: inTurns(200, () => openMany(() => open(malformed()))),
}

await attacks[name]?.()
for (const socket of sockets) socket.destroy()
parentPort?.postMessage("over")
