import type {AgentAsk, AgentCheck, ApprovalView} from "../../../../../shared/api/agents/agents.ts"
import type {PairingView} from "../../../../../shared/api/users/pairings.ts"
import type {Static} from "../../../../../shared/type.ts"
import type {HostClient} from "../../host/client.ts"
import {dataOf} from "../../host/links.ts"
import type {Deed} from "../../state/notices.svelte.ts"
import {texts} from "../../texts/texts.ts"
import {runEnds} from "./events.ts"
import {span} from "./words.ts"

const t = texts.agents

/**
 * Asks an agent. A retry after a lost answer sends the same `request`, so that only one run starts. Does not wait for
 * the run to end, because it may need an approval: `onMade` receives the run.
 */
export const askDeed = (
  client: HostClient,
  name: string,
  question: Static<typeof AgentAsk>,
  onMade: (runId: string) => void,
): Deed<{id: string}> => ({
  title: t.askOf(name),
  run: async () => {
    const made = await client.post("/api/agents/:name/run", {name, body: question})
    onMade(made.id)
    return made
  },
  say: ({id}) => t.run(id),
  event: {types: ["agent.run_queued"], fits: ({runId}, {id}) => runId === id},
})

/** Calls each model once. A bad answer is a failure, with a remedy. */
export const checkDeed = (
  client: HostClient,
  name: string,
  onAnswer: (check: AgentCheck) => void,
): Deed<AgentCheck> => ({
  title: t.checkOf(name),
  run: async () => {
    const check = await client.post("/api/agents/:name/check", {name})
    onAnswer(check)
    const bad = [check, ...check.fallbacks].find(({ok}) => !ok)
    if (bad !== undefined) throw new Error([t.checkFailed(bad.model), bad.problem, bad.hint].filter(Boolean).join(" "))
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
  run: () => client.post(`/api/runs/:id/${action}`, {id: runId}),
  event: {types: tellsOfRun[action], fits: event => event.runId === runId},
})

/** Releases or discards every held run, of every agent. */
export const heldDeed = (client: HostClient, action: "release" | "discard"): Omit<Deed<{runs: number}>, "title"> => ({
  run: () => client.post(`/api/runs/:id/${action}`, {id: "held"}),
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
    client.post(`/api/approvals/:id/${action}`, {
      id,
      body: reason.trim() === "" ? {} : {reason: reason.trim()},
    }),
  event: {
    types: [action === "approve" ? "agent.approval_approved" : "agent.approval_denied"],
    fits: event => dataOf(event).approval === id,
  },
})

/** Accepts all tools of an MCP server that wait. */
export const acceptDeed = (client: HostClient, name: string, server: string): Deed<{tools: number}> => ({
  title: `${t.mcpAccept}: ${server}`,
  run: () => client.post("/api/agents/:name/mcp/:server/accept", {name, server, body: {}}),
})

/** Lets a user talk to agents. */
export const admitDeed = (client: HostClient, {code, user}: Pick<PairingView, "code" | "user">): Deed<unknown> => ({
  title: t.pairing.approveOf(user),
  run: () => client.post("/api/users/approve", {body: {code}}),
  event: {types: ["user.approved"], fits: () => true},
})
