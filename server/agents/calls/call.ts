import type {Binding} from "../../../shared/agents/binding.ts"
import {toJson} from "../../../shared/json.ts"
import type {Attempt} from "../runs/attempt.ts"
import type {Engine} from "../runs/engine.ts"
import {actorOf, itemText, tryCommandOnce} from "../runs/items.ts"
import type {AgentRun} from "../runs/run-rows.ts"
import type {ToolStep} from "../runs/step-rows.ts"
import type {AgentTool, RunFacts} from "../runs/tool.ts"

export interface Call {
  readonly attempt: Attempt
  readonly binding: Binding
  readonly step: ToolStep
  readonly tool: AgentTool
  readonly args: unknown
  readonly facts: RunFacts
  /** Earlier steps with the same call. */
  readonly equals: readonly ToolStep[]
}

/** Returns what a call does, in words for a person. */
export const shownBy = (tool: AgentTool, args: unknown, facts: RunFacts): string =>
  tool.describe?.(args, facts) ?? `${tool.name} ${toJson(args)}`

/** Returns the user and the place of a run, for its tools. */
export const factsOf = (engine: Pick<Engine, "permissionOf">, run: AgentRun, binding: Binding): RunFacts => {
  const {user} = run.place
  const name = user?.name ?? user?.nick
  return {
    ...run,
    user: user && {id: user.id, ...(name === undefined ? {} : {name})},
    actor: actorOf(run.agent),
    permission: engine.permissionOf(run, binding),
  }
}

/** Writes the request or the decision to the Journal of the run's work item, if it has one. */
export const noteInJournal = async (
  {attempt: {engine, run}, step}: Pick<Call, "attempt" | "step">,
  what: "asked" | "decided" | "unknown",
  text: string,
): Promise<void> => {
  const {runId, item, agent} = run
  if (item === undefined) return
  const command = {is: "comment", text: itemText(text)} as const
  await tryCommandOnce(engine, {actor: actorOf(agent), item, request: `${runId}/${step.n}/${what}`, command})
}
