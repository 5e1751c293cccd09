import type {ModelMessage} from "../providers/model.ts"
import type {Step} from "./step-rows.ts"

/** A question that was asked before, and its answer. */
export interface Earlier {
  readonly input: string
  readonly answer: string
}

/** A tool's name as a model may call it: providers take letters, digits, _ and -. */
export const modelNameOf = (tool: string): string => tool.replaceAll(".", "__")

/** The tool that a model calls by that name. */
export const toolNameOf = (name: string): string => name.replaceAll("__", ".")

/** What the model is told: what was said before, the question, and what the run's rows hold. */
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
  ...steps.flatMap(messageOf),
]

const messageOf = (step: Step): readonly ModelMessage[] => {
  if (step.kind === "tool")
    return step.result === undefined
      ? []
      : [{role: "tool", call: step.call.id, name: modelNameOf(step.tool), result: step.result}]
  if (step.reply === undefined) return []
  const {text, calls, details} = step.reply
  return [{role: "assistant", text, calls, ...(details === undefined ? {} : {details})}]
}
