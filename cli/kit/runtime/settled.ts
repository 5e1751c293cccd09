import {setTimeout as sleep} from "node:timers/promises"
import type {Component, ReadinessReport} from "../../../shared/api/readiness.ts"
import {Problem} from "../../../shared/problems.ts"
import {connectHost, mayComeFromRestart} from "../host-client.ts"

/** How long endpoints may take to connect, and the Host to restart, in milliseconds. */
const patience = {connect: 10_000, restart: 60_000} as const

/**
 * Resolves to the readiness report once every required endpoint is connected or has failed to, or else to the one at the
 * time limit. `after` is the run that a restart ends. Throws `host_unreachable` if no Host serves within the limit.
 */
export const settledReport = async (project: string, {after}: {readonly after?: string}): Promise<ReadinessReport> => {
  const deadline = performance.now() + (after === undefined ? patience.connect : patience.restart)
  for (;;) {
    const report = await reportOf(project, after)
    if (report !== undefined && !report.components.some(isMoving)) return report
    if (performance.now() > deadline) {
      if (report !== undefined) return report
      throw new Problem("host_unreachable", `no Host serves ${project} ${patience.restart / 1000} s after the restart`)
    }
    await sleep(100)
  }
}

const reportOf = async (project: string, after: string | undefined): Promise<ReadinessReport | undefined> => {
  try {
    const host = await connectHost(project)
    if (host.file.runtimeId === after) return undefined
    return await host.get<ReadinessReport>("/api/system/readiness")
  } catch (error) {
    if (after === undefined || !mayComeFromRestart(error)) throw error
    return undefined
  }
}

/** Is it a required endpoint whose first attempt to connect, or whose turn to open, is still to end? */
const isMoving = ({required, state, reason}: Component): boolean =>
  required && (state === "connecting" || reason === "not_opened" || reason === "endpoint_closed")
