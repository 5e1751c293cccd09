import {readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {type BenchHost, type BenchProject, makeProject, startHost, token} from "./host.ts"
import {type Running, startProcess} from "./process.ts"
import {residentMegabytes} from "./process-stat.ts"
import {freePort, waitFor200} from "./ready.ts"

/** An endpoint that receives unhandled messages at a given rate: each is stored and makes one event. */
const ticker = `import {definePlugin, Type} from "svc-runtime"
import {tick} from "../frames.mjs"

export default definePlugin({
  setup(plugin) {
    let receive
    plugin.adapter("ticker", {
      history: "none",
      open: async (_, endpoint) => {
        receive = n => void endpoint.receive({id: String(n), type: "internal", raw: {type: "tick", data: null}})
        return {send: async ({id}) => ({ids: [id]})}
      },
    })
    plugin.route({
      method: "POST", path: "/ticks", scope: "full", summary: "Receives events",
      body: Type.Object({count: Type.Integer(), rate: Type.Number()}),
      handle: async (_, call) => {
        void tick(call.body, receive)
        return call.json(Type.Object({}), {})
      },
    })
  },
})
`

export interface StreamServer {
  readonly pid: number
  readonly port: number
  /** Raises `count` events at `rate` per second, without waiting for them. */
  tick(count: number, rate: number): Promise<void>
  stop(): Promise<void>
}

export interface StreamHost extends StreamServer {
  readonly host: BenchHost
}

const project = (frames: string): BenchProject => {
  const made = makeProject("  ticker: {}\n", {ticker})
  made.write("frames.mjs", frames)
  return made
}

export const startStreamHost = async (runtime: TestRuntime): Promise<StreamHost> => {
  const made = project(readFileSync(`${root}tests/bench/bare/frames.mjs`, "utf8"))
  const host = await startHost(runtime, made)
  return {
    host,
    pid: host.pid,
    port: host.port,
    tick: async (count, rate) => {
      await host.fetch("/api/plugins/ticker/ticks", {method: "POST", body: JSON.stringify({count, rate})})
    },
    stop: host.end,
  }
}

export const startBareStream = async ({name, command}: TestRuntime): Promise<StreamServer> => {
  const port = await freePort()
  const script = `${root}tests/bench/bare/${name === "bun" ? "fan-out-bun.ts" : "fan-out-node.mjs"}`
  const process = startProcess([command[0] ?? "", script, String(port)])
  await waitFor200(port, "/", process)
  return {
    pid: process.pid,
    port,
    tick: async (count, rate) => {
      await fetch(`http://127.0.0.1:${port}/ticks`, {method: "POST", body: JSON.stringify({count, rate})})
    },
    stop: () => process.stop(),
  }
}

/** The deliveries to clients in a separate process. Times in milliseconds. */
export interface Followed {
  readonly received: number
  /** Events that arrived without the event before them. */
  readonly holes: number
  readonly bytes: number
  readonly opened: number
  readonly closed: number
  readonly p50: number
  readonly p99: number
}

export interface Followers {
  readonly process: Running
  figures(): Promise<Followed>
  clear(): Promise<void>
  stop(): Promise<void>
}

/** Connects this many clients; resolves once all are connected. */
export const follow = async (server: StreamServer, clients: number): Promise<Followers> => {
  const control = await freePort()
  const script = `${root}tests/bench/events/work/follow.ts`
  const args = [server.port, control, token, clients].map(String)
  const running = startProcess([process.execPath, script, ...args])
  await waitFor200(control, "/", running)
  const url = `http://127.0.0.1:${control}/`
  return {
    process: running,
    figures: async () => (await fetch(url)).json() as Promise<Followed>,
    clear: async () => void (await fetch(url, {method: "POST"})),
    stop: () => running.stop(),
  }
}

/** The longest wait for pending deliveries, in milliseconds. */
const patience = 20_000

/** Waits until this many deliveries were counted, at most for `patience`. */
export const untilReceived = async (followers: Followers, count: number): Promise<void> => {
  const deadline = performance.now() + patience
  while ((await followers.figures()).received < count && performance.now() < deadline) await sleep(100)
}

export const warmUp = async (server: StreamServer): Promise<void> => {
  const first = await follow(server, 10)
  await server.tick(500, 500)
  await untilReceived(first, 5000)
  await first.stop()
}

/** The highest resident memory of a process during `work`, in MB. */
export const peakMegabytes = async (pid: number, work: () => Promise<void>): Promise<number> => {
  let most = residentMegabytes(pid)
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid))
  }, 100)
  await work().finally(() => clearInterval(watch))
  return Math.max(most, residentMegabytes(pid))
}
