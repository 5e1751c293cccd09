import {readFileSync} from "node:fs"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import type {GenerationView, ReloadResult, Status} from "../../../shared/api/system.ts"
import type {Static} from "../../../shared/type.ts"
import {until} from "./process.ts"
import type {TestHost} from "./test-host.ts"

export type HostStatus = Static<typeof Status>

export const statusOf = (host: TestHost): Promise<HostStatus> => host.get("/api/system/status")

/** The readiness report. Its status is 503 while the Host is not ready. */
export const readinessOf = async (host: Pick<TestHost, "fetch">): Promise<ReadinessReport> =>
  (await host.fetch("/api/system/readiness")).json()

/** The answer of `/pub/ready`. */
export const probe = async (url: string): Promise<{readonly status: number; readonly body: string}> => {
  const response = await fetch(`${url}/pub/ready`)
  return {status: response.status, body: await response.text()}
}

export const generationOf = (host: TestHost, number: number): Promise<HostStatus> =>
  until(`generation ${number}`, async () => {
    const status = await statusOf(host)
    return status.generation.number === number && status
  })

/** Waits until a draft has failed; resolves to the newest failure. */
export const failureOf = (host: TestHost): Promise<NonNullable<HostStatus["lastFailure"]>> =>
  until("a draft to fail", async () => (await statusOf(host)).lastFailure ?? undefined)

export const reload = (host: TestHost): Promise<Static<typeof ReloadResult>> => host.post("/api/system/reload")

export const generationsOf = async (host: TestHost): Promise<readonly Static<typeof GenerationView>[]> =>
  (await host.get("/api/generations", {limit: 500})).items

/** Does something while a Host is suspended. One that watches files then sees the change whole, and no empty file. */
export const whileSuspended = async <T>({process: {pid}}: TestHost, work: () => T | Promise<T>): Promise<T> => {
  process.kill(pid, "SIGSTOP")
  try {
    await until("the Host to stand still", () => /^\d+ \(.*\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
    return await work()
  } finally {
    process.kill(pid, "SIGCONT")
  }
}
