import {setTimeout as sleep} from "node:timers/promises"
import {readHostFile} from "../../../server/runtime/host-file.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import type {HostClient} from "../host-client.ts"
import {ProgressLine} from "../progress.ts"
import type {SvcCommand} from "../svc-command.ts"

export const forceText = "Restart without trying the next start first"

interface TrialRequest<T> {
  readonly host: HostClient
  readonly ask: () => Promise<T>
  /** Returns the result if the Host has exited after a trial that took longer than a request. */
  readonly ended: (generation: number) => T
}

/** Makes a request that may try the next start, shown on a terminal. Waits for a longer trial. Throws its problem. */
export const whileTried = async <T>(
  {context, folder, force}: SvcCommand & {readonly force: boolean},
  {host, ask, ended}: TrialRequest<T>,
): Promise<T> => {
  const progress = new ProgressLine(context.stderr as NodeJS.WritableStream)
  if (!force) progress.show("trying the change…", 0, 0)
  try {
    const before = await statusOf(host)
    return await ask().catch(async error => {
      if (!isProblem(error, "request_timeout")) throw error
      await follow(host, folder, before.lastFailure?.at)
      return ended(before.generation.number)
    })
  } finally {
    progress.clear()
  }
}

const statusOf = (host: HostClient) => host.get("/api/system/status")

/** Waits until the Host has exited. Throws the failure of its trial. */
const follow = async (host: HostClient, project: string, before: string | undefined): Promise<void> => {
  const paths = projectPaths(project)
  while ((await readHostFile(paths))?.runtimeId === host.file.runtimeId) {
    const failure = (await statusOf(host).catch(() => undefined))?.lastFailure ?? null
    if (failure !== null && failure.at !== before && failure.code !== "restart_required") {
      const code = failure.code === "not_tried" ? failure.code : "trial_failed"
      throw new Problem(code, [...new Set([failure.detail, ...failure.issues])].join("\n  "))
    }
    await sleep(500)
  }
}
