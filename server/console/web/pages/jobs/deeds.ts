import type {JobView} from "../../../../../shared/api/scheduled/jobs.ts"
import type {HostClient} from "../../host/client.ts"
import {type Deed, longPatience} from "../../state/notices.svelte.ts"
import {texts} from "../../texts/texts.ts"

const t = texts.jobs
const ends = ["job.succeeded", "job.failed", "job.cancelled"]

/** Runs a job now and waits for the run to end. */
export const runDeed = (client: HostClient, id: string): Deed<{id: string}> => ({
  title: t.deeds.run(id),
  patience: longPatience,
  run: () => client.post("/api/jobs/:id/run", {id}),
  say: run => t.runs(run.id),
  event: {types: ends, fits: ({runId}, run) => runId === run.id},
})

export const pauseDeed = (client: HostClient, id: string): Deed<JobView> => ({
  title: t.deeds.pause(id),
  run: () => client.post("/api/jobs/:id/pause", {id}),
  say: () => t.isPaused,
})

export const resumeDeed = (client: HostClient, id: string): Deed<JobView> => ({
  title: t.deeds.resume(id),
  run: () => client.post("/api/jobs/:id/resume", {id}),
  say: () => t.isOn,
})

/** Removes the job as it was shown; if someone changed it since, it stays. */
export const removeDeed = (client: HostClient, id: string, expectedRevision: string): Deed<unknown> => ({
  title: t.deeds.remove(id),
  run: () => client.post("/api/jobs/:id/remove", {id, body: {expectedRevision}}),
  say: () => t.isRemoved,
})

/** Acts on a timer, then reloads the list. */
export const timerDeed = (
  client: HostClient,
  id: string,
  action: "release" | "cancel",
  done: () => void,
): Deed<unknown> => ({
  title: texts.timers.deeds[action](id),
  run: async () => {
    await client.post(`/api/timers/:id/${action}`, {id})
    done()
  },
  say: () => texts.timers.did[action],
})

export const cancelDeed = (client: HostClient, runId: string): Deed<unknown> => ({
  title: t.deeds.cancel(runId),
  run: () => client.post("/api/runs/:id/cancel", {id: runId}),
  event: {types: ends, fits: event => event.runId === runId},
})
