import type {ModelReply} from "../providers/model.ts"
import type {Step, ToolStep} from "./step-rows.ts"

/** The next action of a run, according to its rows. */
export type Next =
  /** Call the model, as the step with this number. */
  | {readonly is: "model"; readonly n: number}
  /** Make a call that has not begun. */
  | {readonly is: "tool"; readonly step: ToolStep}
  /** Repeat a call that was begun when the Host or its attempt ended. */
  | {readonly is: "again"; readonly step: ToolStep}
  /** Wait for a person's approval. */
  | {readonly is: "approval"; readonly step: ToolStep}
  /** End with the model's answer. */
  | {readonly is: "answer"; readonly reply: ModelReply}

const isOver = ({state}: Step): boolean => ["done", "failed", "unknown", "refused"].includes(state)

/** Returns the next action. Pure: the same rows always lead to the same action. */
export const nextOf = (steps: readonly Step[]): Next => {
  const open = steps.find(step => !isOver(step))
  if (open?.kind === "model") return {is: "model", n: open.n}
  if (open?.kind === "tool") {
    if (open.state === "begun") return {is: "again", step: open}
    return {is: open.state === "waiting" ? "approval" : "tool", step: open}
  }
  const last = steps.at(-1)
  if (last === undefined || last.kind === "tool") return {is: "model", n: (last?.n ?? 0) + 1}
  if (last.reply === undefined) throw new Error(`step ${last.n} is ${last.state}, and has no reply`)
  return {is: "answer", reply: last.reply}
}
