import {setTimeout as sleep} from "node:timers/promises"
import {Option} from "clipanion"
import {notReadyAfter, unreadyIn, withUnready} from "../../shared/api/configuration/unready.ts"
import type {Component, ReadinessReport} from "../../shared/api/readiness.ts"
import {Problem} from "../../shared/problems.ts"
import {connectHost, mayComeFromRestart} from "../kit/host-client.ts"
import {rowCommand} from "../kit/rows.ts"
import {forceText, whileTried} from "../kit/runtime/trial.ts"

export const reload = rowCommand({
  description: "make the running Host load the present configuration",
  details: `
    The Host commits a new generation, or names every reason why it cannot and keeps the running generation.

    In production, changed code or a changed lockfile needs a restart. The Host first tries its next start in a separate process. If that fails, the command names the cause and exits 1, and the Host keeps running. Otherwise the Host exits with 75, so that its supervisor restarts it.

    The command lists the required components that are not ready afterwards, and still exits 0. With \`--require-ready\` it exits 1 if there are any. It then waits up to 10 s for the required endpoints to connect, or 60 s for a restart; one that still connects counts as ready.
  `,
  examples: [
    ["After a change to svc.config.yml", "svc runtime reload"],
    ["In CI", "svc runtime reload --require-ready"],
  ],
  options: {
    confirm: Option.Boolean("--confirm", false, {description: "Exit even if no supervisor will start the Host again"}),
    force: Option.Boolean("--force", false, {description: forceText}),
    requireReady: Option.Boolean("--require-ready", false, {description: "Exit 1 if the Host is then not ready"}),
  },
  run: async given => {
    const host = await connectHost(given.folder)
    const {confirm, force} = given
    const ask = () => host.post("/api/system/reload", {body: {confirm, force}})
    const ended = (generation: number) => ({committed: false, generation, restarting: true})
    const result = await whileTried(given, {host, ask, ended})
    const after = result.restarting === true ? {after: host.file.runtimeId} : {}
    const unready = given.requireReady
      ? unreadyIn((await settledReport(given.folder, after)).components)
      : (result.unready ?? [])
    given.show({...result, ...withUnready(unready)}, () => {
      if (result.restarting === true) return "the change needs a restart; the Host is restarting"
      return result.committed ? `generation ${result.generation} committed` : "nothing has changed"
    })
    if (unready.length > 0 && !given.json) given.tell(`svc: ${notReadyAfter(unready)}`)
    return !given.requireReady || unready.length === 0
  },
})

/** How long endpoints may take to connect, and the Host to restart, in milliseconds. */
const patience = {connect: 10_000, restart: 60_000} as const

/**
 * Resolves to the readiness report once every required endpoint is connected or has failed to, or else to the one at the
 * time limit. `after` is the run that a restart ends. Throws `host_unreachable` if no Host serves within the limit.
 */
const settledReport = async (project: string, {after}: {readonly after?: string}): Promise<ReadinessReport> => {
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
    return await host.get("/api/system/readiness")
  } catch (error) {
    if (after === undefined || !mayComeFromRestart(error)) throw error
    return undefined
  }
}

/** Is it a required endpoint whose first attempt to connect, or whose turn to open, is still to end? */
const isMoving = ({required, state, reason}: Component): boolean =>
  required && (state === "connecting" || reason === "not_opened" || reason === "endpoint_closed")
