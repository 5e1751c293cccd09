import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {type Running, startProcess} from "./process.ts"
import {freePort, waitFor200} from "./ready.ts"

/** An answer, byte for byte, without what every server adds by itself. */
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

/** The runtime's own server, answering every request alike. */
export const startBare = async ({name, command}: TestRuntime, answer: Answer): Promise<BareServer> => {
  const port = await freePort()
  const script = `${root}tests/bench/bare/${name === "bun" ? "http-bun.ts" : "http-node.mjs"}`
  const process = startProcess([command[0] ?? "", script, String(port), JSON.stringify(answer)])
  await waitFor200(port, "/", process)
  return {process, port, pid: process.pid}
}
