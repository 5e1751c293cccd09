import type {ModelMessage} from "../providers/model.ts"
import type {ModelStep, Step, ToolStep} from "./step-rows.ts"

/** A question that was asked before, and its answer. */
export interface Earlier {
  readonly input: string
  readonly answer: string
}

/** A tool's name as a model may call it: providers take letters, digits, _ and -. */
export const modelNameOf = (tool: string): string => tool.replaceAll(".", "__")

/** What svc sends to the model: what was said before, the question, and what the run's rows hold. */
export const messagesOf = (
  earlier: readonly Earlier[],
  input: string,
  steps: readonly Step[],
): readonly ModelMessage[] => [
  ...earlier.flatMap(({input: text, answer}): readonly ModelMessage[] => [
    {role: "user", text},
    {role: "assistant", text: answer, calls: []},
  ]),
  {role: "user", text: input},
  ...steps.flatMap(step => messageOf(step, steps)),
]

/** The name of a step whose tool the binding does not have: what a model makes up is shown to nobody who sees names alone. */
export const unknownTool = "(unknown)"

/** The tool of a call, as the model named it. */
export const calledAs = (steps: readonly Step[], {n, call, tool}: ToolStep): string => {
  const asked = steps.findLast((step): step is ModelStep => step.kind === "model" && step.n < n)
  return asked?.reply?.calls.find(({id}) => id === call.id)?.name ?? modelNameOf(tool)
}

const messageOf = (step: Step, steps: readonly Step[]): readonly ModelMessage[] => {
  if (step.kind === "tool")
    return step.result === undefined
      ? []
      : [{role: "tool", call: step.call.id, name: calledAs(steps, step), result: step.result}]
  if (step.reply === undefined) return []
  const {text, calls, details} = step.reply
  return [{role: "assistant", text, calls, ...(details === undefined ? {} : {details})}]
}
