import type {Status} from "../../shared/api/system.ts"
import {version} from "../runtime/version.ts"
import {viewFailure} from "./open/failure.ts"
import type {Sources} from "./parts/sources.ts"

/** The answer of `GET /api/system/status`, put together at each request. */
export const createStatus = (sources: Sources): ((ready: boolean) => Status) => {
  const {identity, generations, running, database, events, ingress, uncommitted} = sources
  const {workroom} = sources.workroom
  const {build, checkpoints} = sources.recovery
  const startedAt = new Date(identity.startedAt).toISOString()
  // On a monotonic clock.
  const began = performance.now() - (Date.now() - identity.startedAt)
  const committedAt = memoizeTime()
  return ready => {
    const {lastFailure} = generations
    const {current, pin} = running
    return {
      project: identity.project,
      version,
      build: build.current,
      runtime: {name: identity.runtime.name, version: identity.runtime.version},
      runtimeId: identity.runtimeId,
      authority: identity.authority,
      mode: identity.mode,
      startedAt,
      uptime: Math.round((performance.now() - began) / 100) / 10,
      restarts: identity.history.earlierStarts,
      endedCleanly: identity.history.endedCleanly,
      generation: {
        number: current?.number ?? 0,
        committedAt: committedAt(current?.committedAt ?? 0),
        reason: current?.reason ?? "",
      },
      pin: pin === undefined ? null : {number: pin.number},
      lastFailure: lastFailure === undefined ? null : viewFailure(lastFailure),
      lastGood: identity.lastGood ?? null,
      uncommitted: uncommitted.seen,
      ready,
      supervisor: identity.supervisor(),
      ingress: ingress.view,
      checkpoint: checkpoints.newest(Date.now()),
      checkpointFailure: checkpoints.failure,
      database: {
        dialect: database.location.dialect,
        state: database.state.is,
        schema: database.state.is === "initialized" ? database.state.schema : null,
      },
      workroom: {store: workroom.store, authority: workroom.authority, seq: workroom.head.seq},
      epoch: events.epoch,
      authorities: [
        {part: "database", authority: identity.authority},
        {part: "event log", authority: events.events.authority ?? null},
        {part: "workroom Journal", authority: workroom.authority},
        {part: "job file", authority: sources.jobs.jobs.file.authority},
      ],
    }
  }
}

/** Formats a time once for as long as it is the same. */
const memoizeTime = () => {
  let last = {at: Number.NaN, text: ""}
  return (at: number): string => {
    if (last.at !== at) last = {at, text: new Date(at).toISOString()}
    return last.text
  }
}
