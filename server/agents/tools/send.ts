import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentTarget} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {markdown} from "../../../shared/sdk/content/shorthands.ts"
import {Closed, Optional, type Static, Type} from "../../../shared/type.ts"
import {type Address, messageDraft} from "../../outbox/draft.ts"
import {readMarkdown} from "../../outbox/read-markdown.ts"
import type {AgentTool, RunFacts} from "../runs/tool.ts"
import {quote} from "./quote.ts"

const Arguments = Closed({
  endpoint: Optional.String({
    minLength: 1,
    maxLength: 200,
    description: "The endpoint's name; by default this conversation's endpoint.",
  }),
  channel: Type.String({minLength: 1, maxLength: 200, description: "The channel's id at this endpoint."}),
  text: Type.String({
    minLength: 1,
    maxLength: 8000,
    pattern: "\\S",
    description: "Markdown.",
  }),
})
type Arguments = Static<typeof Arguments>

export interface SendDeps {
  /** Throws if nothing can be sent to this address. */
  readonly requireTarget: (address: Address) => void
}

/** Sends Markdown to a channel that the binding lists. The message is stored in one batch with its call. */
export const sendTool = ({requireTarget}: SendDeps): AgentTool => {
  const refusal = (args: unknown, binding: Binding, run: RunFacts): string | undefined => {
    const {endpoint, channel} = targetOf(args as Arguments, run)
    if (endpoint === "") return "This run belongs to no endpoint: set endpoint."
    const targets = targetsOf(binding)
    if (targets.some(to => to.endpoint === endpoint && to.channel === channel)) return undefined
    return `You may not send to ${channel} at ${endpoint}. ${mayIn(binding)}`
  }
  return {
    name: "send",
    description: "Sends a message to a channel.",
    scope: mayIn,
    parameters: Arguments,
    effect: "transaction",
    permission: "trusted",
    approval: false,
    timeout: 10_000,
    problem: binding =>
      targetsOf(binding).length > 0
        ? undefined
        : `no channels are allowed: list them under agents.${binding.name}.tools.send.to`,
    refusal,
    describe: (args, run) => `Send to ${nameOf(targetOf(args as Arguments, run))}:\n${quote((args as Arguments).text)}`,
    run: async ({args, binding, run}) => {
      const refused = refusal(args, binding, run)
      if (refused !== undefined) throw new Problem("target_invalid", refused)
      const target = targetOf(args as Arguments, run)
      requireTarget(target)
      const sent = await readMarkdown(messageDraft(target, markdown((args as Arguments).text)))
      return {value: `The message to ${nameOf(target)} is queued.`, sends: [sent]}
    },
  }
}

const targetOf = ({endpoint, channel}: Arguments, run: RunFacts): AgentTarget => ({
  endpoint: endpoint ?? run.endpoint ?? "",
  channel,
})

const mayIn = (binding: Binding): string => `You may send to: ${targetsOf(binding).map(nameOf).join(", ")}.`

const targetsOf = ({config}: Binding): readonly AgentTarget[] => config.tools.send?.to ?? []

const nameOf = ({endpoint, channel}: AgentTarget): string => `${channel} at ${endpoint}`
