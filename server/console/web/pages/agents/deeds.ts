import type {HostClient} from "../../host/client.ts"
import {dataOf} from "../../host/links.ts"
import type {AgentCheck, ApprovalView} from "../../host/views.ts"
import type {Deed} from "../../state/notices.svelte.ts"
import {texts} from "../../texts.ts"
import {runEnds} from "./events.ts"
import {span} from "./words.ts"

const t = texts.agents
const pathOf = (name: string, action: string) => `/api/agents/${encodeURIComponent(name)}/${action}`
const runPath = (runId: string, action: string) => `/api/runs/${encodeURIComponent(runId)}/${action}`

export interface Question {
  readonly input: string
  /** A retry after a lost answer sends the same id, so that only one run starts. */
  readonly request: string
  readonly permission?: string
}

/** Asks an agent. Does not wait for the run to end, because it may need an approval: `onMade` receives the run. */
export const askDeed = (
  client: HostClient,
  name: string,
  question: Question,
  onMade: (runId: string) => void,
): Deed<{id: string}> => ({
  title: t.askOf(name),
  run: async () => {
    const made = await client.post<{id: string}>(pathOf(name, "run"), question)
    onMade(made.id)
    return made
  },
  say: ({id}) => t.run(id),
  event: {types: ["agent.run_queued"], fits: ({runId}, {id}) => runId === id},
})

/** Calls the model once. A bad answer is a failure, with a remedy. */
export const checkDeed = (
  client: HostClient,
  name: string,
  onAnswer: (check: AgentCheck) => void,
): Deed<AgentCheck> => ({
  title: t.checkOf(name),
  run: async () => {
    const check = await client.post<AgentCheck>(pathOf(name, "check"))
    onAnswer(check)
    if (!check.ok) throw new Error([t.checkFailed(check.model), check.problem, check.hint].filter(Boolean).join(" "))
    return check
  },
  say: ({model, milliseconds}) => t.checkOk(model, span(milliseconds)),
})

type RunAction = "cancel" | "release" | "discard"

const tellsOfRun: Readonly<Record<RunAction, readonly string[]>> = {
  cancel: runEnds,
  release: ["agent.run_queued", "agent.run_started", "agent.run_waiting", ...runEnds],
  discard: runEnds,
}

export const runDeed = (client: HostClient, runId: string, action: RunAction): Deed<unknown> => ({
  title: t.deeds[action](runId),
  run: () => client.post(runPath(runId, action)),
  event: {types: tellsOfRun[action], fits: event => event.runId === runId},
})

/** Releases or discards every held run, of every agent. */
export const heldDeed = (client: HostClient, action: "release" | "discard"): Omit<Deed<{runs: number}>, "title"> => ({
  run: () => client.post<{runs: number}>(runPath("held", action)),
  say: ({runs}) => t.changed(runs),
})

/** Approves or denies a call. */
export const decideDeed = (
  client: HostClient,
  {id, tool, agent}: Pick<ApprovalView, "id" | "tool" | "agent">,
  action: "approve" | "deny",
  reason: string,
): Deed<unknown> => ({
  title: t.approval[`${action}Of`](tool, agent),
  run: () =>
    client.post(
      `/api/approvals/${encodeURIComponent(id)}/${action}`,
      reason.trim() === "" ? {} : {reason: reason.trim()},
    ),
  event: {
    types: [action === "approve" ? "agent.approval_approved" : "agent.approval_denied"],
    fits: event => dataOf(event).approval === id,
  },
})
