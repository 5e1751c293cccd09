import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentReason} from "../../../shared/agents/states.ts"
import type {HostText} from "../../messages/texts/tables.ts"
import {readMarkdown} from "../../outbox/read-markdown.ts"
import type {ModelReply} from "../providers/model.ts"
import {modelsOf} from "../providers/models.ts"
import {answerOf, sayingOf} from "./answer.ts"
import type {Attempt, Change} from "./attempt.ts"
import type {After, Engine} from "./engine.ts"
import {actorOf, itemText, tryCommandOnce} from "./items.ts"
import {type AgentRun, closingSteps, endingRun} from "./run-rows.ts"
import {planningSummary} from "./summaries.ts"
import {runIs} from "./write.ts"

/** The reason for cancelling a run whose item was reassigned. */
export const itemTaken = "the work item no longer belongs to the agent"

/** Returns the text for the conversation of a failed run. It says only whether asking again may help. */
const failureText = (reason: AgentReason): HostText => {
  if (reason.startsWith("limit_")) return "agent.limit"
  if (reason.startsWith("provider_")) return "agent.unavailable"
  return "agent.failed"
}

/** Ends a run with the model's reply. The end, the answer and `also` are one batch. */
export const succeed = async (
  attempt: Attempt,
  binding: Binding,
  reply: ModelReply,
  also: Change = {},
): Promise<After> => {
  const {engine, run} = attempt
  const at = engine.clock.now()
  const {text: answer, finish} = reply
  const note = await noteOf(engine, run, binding, reply)
  if (run.item !== undefined) await handIn(engine, run, run.item, answer + note)
  const end = {state: "succeeded", answer, ...(finish === "length" ? {reason: "answer_cut" as const} : {})} as const
  const sends = await Promise.all(sayingOf(run, answerOf(answer + note)).map(readMarkdown))
  const statements = [...(also.statements ?? []), endingRun(run.seq, end, at), ...planningSummary(run, binding, at)]
  await attempt.write({...also, statements, sends}, runIs("succeeded"))
  return "is over"
}

/** Returns a note for the end of an answer, which names its model if it is not the usual one. */
const noteOf = async (
  engine: Pick<Engine, "sayFor">,
  run: AgentRun,
  binding: Binding,
  {source}: ModelReply,
): Promise<string> => {
  const models = modelsOf(binding)
  const own = models.findIndex(model => model.source === source)
  if (own <= 0) return ""
  const say = await engine.sayFor(run)
  return `\n\n${say("agent.fallback", {model: models[own]?.settings.model ?? ""})}`
}

/** Adds the result as a comment, and submits the item for review: only a person accepts it. */
const handIn = async (
  engine: Pick<Engine, "workroom" | "log">,
  {runId, agent}: AgentRun,
  item: number,
  answer: string,
): Promise<void> => {
  const actor = actorOf(agent)
  const comment = {is: "comment", text: itemText(answer)} as const
  await tryCommandOnce(engine, {actor, item, request: `${runId}/result`, command: comment})
  // Somebody may have reassigned the item in the meantime, or the agent may have blocked it.
  const {state, assignee} = engine.workroom.item(item)
  if (state === "active" && assignee === actor)
    await tryCommandOnce(engine, {actor, item, request: `${runId}/review`, command: {is: "review"}})
}

/**
 * Ends a run that cannot continue, and says so in its conversation. `also` is stored in the same batch. A summary that a
 * limit does not allow is left out: that is no failure.
 */
export const fail = async (
  attempt: Attempt,
  reason: AgentReason,
  error?: string,
  also: Change = {},
): Promise<After> => {
  const {engine, run} = attempt
  const at = engine.clock.now()
  const detail = error === undefined || error === "" ? undefined : engine.hide(error)
  const why = detail === undefined ? reason : `${reason}: ${detail}`
  const state = run.isSummary && reason.startsWith("limit_") ? "succeeded" : "failed"
  if (state === "failed") engine.log.warn(`run ${run.runId} of ${run.agent} failed: ${why}`, {runId: run.runId})
  if (run.item !== undefined) await giveBack(engine, run, run.item, why)
  const say = await engine.sayFor(run)
  const sends = sayingOf(run, say(failureText(reason), {agent: run.agent, run: run.runId}))
  const end = {state, reason, ...(detail === undefined ? {} : {error: detail})} as const
  const closing = [...closingSteps(run.seq, reason, at), endingRun(run.seq, end, at)]
  await attempt.write({...also, statements: [...(also.statements ?? []), ...closing], sends}, runIs(state))
  return "is over"
}

/** Blocks an item whose run ended without a result, with the reason, so that a person decides. */
export const giveBack = async (
  engine: Pick<Engine, "workroom" | "log">,
  {runId, agent}: Pick<AgentRun, "runId" | "agent">,
  item: number,
  why: string,
): Promise<void> => {
  const actor = actorOf(agent)
  const found = engine.workroom.items.find(({id}) => id === item)
  if (found === undefined || found.assignee !== actor) return
  if (found.state === "open")
    await tryCommandOnce(engine, {actor, item, request: `${runId}/claim`, command: {is: "claim", assignee: actor}})
  const command = {is: "block", reason: itemText(`The agent stopped: ${why}`), owner: null, deadline: null} as const
  await tryCommandOnce(engine, {actor, item, request: `${runId}/block`, command})
}
