import {setTimeout as sleep} from "node:timers/promises"
import type {AgentRunDetail, AgentStepView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {connectHost, mayComeFromRestart} from "../host-client.ts"
import {isOver} from "./run-text.ts"

export interface FollowOptions {
  readonly project: string
  readonly runId: string
  readonly signal: AbortSignal
  /** Called when the state of a step has changed. */
  readonly onStep: (step: AgentStepView) => void
  /** Called once for each approval that waits for a person; \`followRun\` awaits it. */
  readonly onApproval: (approval: ApprovalView) => void | Promise<void>
}

/** The pause between two requests, in milliseconds. */
const pause = 300

/** How long a restarting Host may be offline, in milliseconds. */
const mostAbsent = 30_000

/** Follows a run to its end, across restarts. Undefined if the signal aborts first. Throws the Host's problem. */
export const followRun = async (options: FollowOptions): Promise<AgentRunDetail | undefined> => {
  const {project, runId, signal} = options
  const tell = telling(options)
  let seen = Date.now()
  while (!signal.aborted) {
    try {
      const host = await connectHost(project)
      const run = await host.get("/api/runs/:id", {id: runId})
      if (run.kind !== "agent") throw new Problem("agent_run_unknown", `${runId} is no run of an agent`)
      seen = Date.now()
      await tell(run)
      if (isOver(run)) return run
    } catch (error) {
      if (!mayComeFromRestart(error) || Date.now() - seen > mostAbsent) throw error
    }
    await sleep(pause, undefined, {signal}).catch(() => {})
  }
  return undefined
}

/** Returns a function that reports the changes of a run since its last call. */
const telling = ({onStep, onApproval}: FollowOptions) => {
  const steps = new Map<number, string>()
  const asked = new Set<string>()
  return async ({trail, approvals}: AgentRunDetail): Promise<void> => {
    for (const step of trail) {
      if (steps.get(step.step) === step.state) continue
      steps.set(step.step, step.state)
      onStep(step)
    }
    for (const approval of approvals) {
      if (approval.state !== "waiting" || asked.has(approval.id)) continue
      asked.add(approval.id)
      await onApproval(approval)
    }
  }
}
