import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {type Running, startProcess} from "./process.ts"
import {freePort, waitFor200} from "./ready.ts"

/** An answer, byte for byte, without headers that every server adds. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ownHeaders = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"])

export const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name))),
  body: await response.text(),
})

export interface BareServer {
  readonly process: Running
  readonly port: number
  readonly pid: number
}

export const bareName = ({name}: TestRuntime): string => (name === "bun" ? "bare Bun.serve" : "bare node:http")

/** Starts a yardstick of `bare/`, which has a script for each runtime; its arguments are the port and `args`. */
const start = async ({name, command}: TestRuntime, script: string, args: readonly string[]): Promise<BareServer> => {
  const port = await freePort()
  const file = `${root}tests/bench/bare/${script}-${name === "bun" ? "bun.ts" : "node.mjs"}`
  const process = startProcess([command[0] ?? "", file, String(port), ...args])
  await waitFor200(port, "/", process)
  return {process, port, pid: process.pid}
}

/** The runtime's own server, with the same answer to every request. */
export const startBare = (runtime: TestRuntime, answer: Answer): Promise<BareServer> =>
  start(runtime, "http", [JSON.stringify(answer)])

/** The runtime's own server. It checks each webhook's signature, and stores those of one turn in a durable insert. */
export const startBareInbox = (runtime: TestRuntime, secret: string): Promise<BareServer> =>
  start(runtime, "durable", [secret])
