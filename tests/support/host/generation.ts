import {readFileSync} from "node:fs"
import type {GenerationView, ReloadResult, Status} from "../../../shared/api/system.ts"
import type {Static} from "../../../shared/type.ts"
import type {TestHost} from "./host.ts"
import {until} from "./process.ts"

export type HostStatus = Static<typeof Status>

export const statusOf = (host: TestHost): Promise<HostStatus> => host.get("/api/system/status")

/** Waits until the Host runs this generation. */
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
  (await host.get<{items: Static<typeof GenerationView>[]}>("/api/generations?limit=500")).items

/**
 * Changes files while the process of the Host that watches them is stopped by a signal. It then sees the whole change at once, and no
 * empty file.
 */
export const changeAtOnce = async ({process: {pid}}: TestHost, change: () => void): Promise<void> => {
  process.kill(pid, "SIGSTOP")
  try {
    await until("the Host to stand still", () => /^\d+ \(.*\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
    change()
  } finally {
    process.kill(pid, "SIGCONT")
  }
}
