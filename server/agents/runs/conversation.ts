import type {ModelMessage} from "../providers/model.ts"
import type {ModelStep, Step, ToolStep} from "./step-rows.ts"

/** Returns a tool's name for a model, because providers accept only letters, digits, _ and -. */
export const modelNameOf = (tool: string): string => tool.replaceAll(".", "__")

/** Returns the messages for the model: what comes before the question, the question, and the run's rows. */
export const messagesOf = (
  before: readonly ModelMessage[],
  input: string,
  steps: readonly Step[],
): readonly ModelMessage[] => [...before, {role: "user", text: input}, ...steps.flatMap(step => messageOf(step, steps))]

/** The name of a step whose tool the binding lacks. A name that a model invents is content, which few may see. */
export const unknownTool = "(unknown)"

/** Returns the tool of a call, as the model named it. */
export const calledAs = (steps: readonly Step[], {n, call, tool}: ToolStep): string => {
  const asked = steps.findLast((step): step is ModelStep => step.kind === "model" && step.n < n)
  return asked?.reply?.calls.find(({id}) => id === call.id)?.name ?? modelNameOf(tool)
}

/** Returns the message of a step for the model; none while it has no result. */
export const messageOf = (step: Step, steps: readonly Step[]): readonly ModelMessage[] => {
  if (step.kind === "tool")
    return step.result === undefined
      ? []
      : [{role: "tool", call: step.call.id, name: calledAs(steps, step), result: step.result}]
  if (step.reply === undefined) return []
  const {text, calls, details, source} = step.reply
  return [{role: "assistant", text, calls, source, ...(details === undefined ? {} : {details})}]
}
