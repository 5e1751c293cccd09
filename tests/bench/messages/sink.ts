import {readFileSync} from "node:fs"
import {root} from "../../support/host/runtimes.ts"
import {type BenchHost, type BenchProject, makeProject, token} from "../measure/host.ts"
import {runScript} from "../measure/process.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import type {Delivery} from "./work/deliver.ts"
import type {Flown} from "./work/flights.ts"

export const secret = `whsec_${Buffer.from("the secret of the bench, 32 bytes").toString("base64")}`

/** The number of messages before the first sample, as a warm-up of both sides. */
export const warmUp = 20_000

/** A project whose bot answers through a platform that accepts messages immediately, and reports the replies. */
export const sinkProject = (plugins: string): BenchProject => {
  const sink = readFileSync(`${root}tests/bench/messages/sink-plugin.ts`, "utf8")
  const made = makeProject(`  sink: {}\n${plugins}`, {sink})
  made.write(".env", `HOOK_SECRET=${secret}\n`)
  return made
}

export const webhookDoor =
  "  webhook:\n    endpoints:\n      - id: shop\n        secrets:\n          - ${HOOK_SECRET}\n"

export interface Server {
  readonly pid: number
  readonly port: number
}

export interface Sample extends Flown {
  /** Messages per second of the server's processor time. */
  readonly perCpuSecond: number
}

/** The results of a delivery, with the processor time of its server. */
export const perCpu = async ({pid}: Server, deliver: () => Promise<Flown>): Promise<Sample> => {
  const before = cpuSeconds(pid)
  const flown = await deliver()
  return {...flown, perCpuSecond: flown.all / (cpuSeconds(pid) - before)}
}

/** Partners in a separate process that reach a server over HTTP. */
export const deliver = (server: Server, delivery: Omit<Delivery, "port" | "token" | "secret">): Promise<Sample> =>
  perCpu(server, () => {
    const wanted: Delivery = {...delivery, port: server.port, token, secret}
    return runScript<Flown>([process.execPath, `${root}tests/bench/messages/work/deliver.ts`, JSON.stringify(wanted)])
  })

/** The Host's changes and commits so far, from its metrics. */
export const groupsOf = async (host: BenchHost) => {
  const page = await (await host.fetch("/api/metrics")).text()
  const read = (what: string) => Number(new RegExp(`^svc_database_group_batches_${what} (\\S+)$`, "m").exec(page)?.[1])
  return {changes: read("sum"), commits: read("count")}
}
