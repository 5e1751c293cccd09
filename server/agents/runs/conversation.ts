import type {ModelMessage} from "../providers/model.ts"
import type {Said} from "./said.ts"
import type {ModelStep, Step, ToolStep} from "./step-rows.ts"

/** Returns a tool's name for a model, because providers accept only letters, digits, _ and -. */
export const modelNameOf = (tool: string): string => tool.replaceAll(".", "__")

/** A message for the model, and the step that it is of. */
interface Turn {
  readonly message: ModelMessage
  readonly step?: number
}

/** Returns the question, the run's rows, and what the user said before each model call. */
export const turnsOf = (input: string, steps: readonly Step[], said: readonly Said[]): readonly Turn[] => {
  const last = steps.at(-1)?.n ?? 0
  const turn = ({text}: Pick<Said, "text">): Turn => ({message: {role: "user", text}})
  return [
    turn({text: input}),
    ...steps.flatMap(step => [
      ...said.filter(({told}) => told === step.n).map(turn),
      ...messageOf(step, steps).map(message => ({message, step: step.n})),
    ]),
    ...said.filter(({told = Number.POSITIVE_INFINITY}) => told > last).map(turn),
  ]
}

export const messagesOf = (...of: Parameters<typeof turnsOf>): readonly ModelMessage[] =>
  turnsOf(...of).map(({message}) => message)

/** The name of a step whose tool the binding lacks. A name that a model invents is content, which few may see. */
export const unknownTool = "(unknown)"

/** Returns the tool of a call, as the model named it. */
export const calledAs = (steps: readonly Step[], {n, call, tool}: ToolStep): string => {
  const asked = steps.findLast((step): step is ModelStep => step.kind === "model" && step.n < n)
  return asked?.reply?.calls.find(({id}) => id === call.id)?.name ?? modelNameOf(tool)
}

/** Returns the message of a step for the model; none while it has no result. */
const messageOf = (step: Step, steps: readonly Step[]): readonly ModelMessage[] => {
  if (step.kind === "tool")
    return step.result === undefined
      ? []
      : [{role: "tool", call: step.call.id, name: calledAs(steps, step), result: step.result}]
  if (step.reply === undefined) return []
  const {text, calls, details, source} = step.reply
  return [{role: "assistant", text, calls, source, ...(details === undefined ? {} : {details})}]
}
