import type {AgentTarget} from "../../../shared/agents/config.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {type Address, messageDraft} from "../../outbox/draft.ts"
import type {Binding} from "../bindings/binding.ts"
import {quote} from "./quote.ts"
import type {AgentTool} from "./tool.ts"

const Arguments = Type.Object(
  {
    endpoint: Type.String({minLength: 1, maxLength: 200, description: "The endpoint's name."}),
    channel: Type.String({minLength: 1, maxLength: 200, description: "The channel's id there."}),
    text: Type.String({minLength: 1, maxLength: 8000, pattern: "\\S", description: "Plain text: it is sent as it is."}),
  },
  {additionalProperties: false},
)
type Arguments = Static<typeof Arguments>

export interface SendDeps {
  /** Throws where nothing can be sent there. */
  readonly requireTarget: (address: Address) => void
}

/** Sends text to a channel that the binding lists, in the batch of its call. */
export const sendTool = ({requireTarget}: SendDeps): AgentTool => {
  const refusal = (args: unknown, binding: Binding): string | undefined => {
    const {endpoint, channel} = args as Arguments
    const targets = targetsOf(binding)
    if (targets.some(to => to.endpoint === endpoint && to.channel === channel)) return undefined
    return `You may not send to ${channel} at ${endpoint}. You may send to: ${targets.map(nameOf).join(", ")}.`
  }
  return {
    name: "send",
    description: "Sends a message to a channel.",
    scope: binding => `You may send to: ${targetsOf(binding).map(nameOf).join(", ")}.`,
    parameters: Arguments,
    effect: "transaction",
    permission: "trusted",
    approval: false,
    timeout: 10_000,
    problem: binding =>
      targetsOf(binding).length > 0
        ? undefined
        : `it has nowhere to send to: list channels under agents.${binding.name}.tools.send.to`,
    refusal,
    describe: args => {
      const {endpoint, channel, text} = args as Arguments
      return `Send to ${nameOf({endpoint, channel})}:\n${quote(text)}`
    },
    run: async ({args, binding}) => {
      const {endpoint, channel, text} = args as Arguments
      const refused = refusal(args, binding)
      if (refused !== undefined) throw new Problem("target_invalid", refused)
      requireTarget({endpoint, channel})
      const sent = messageDraft({endpoint, channel}, text)
      return {value: `The message to ${channel} at ${endpoint} is on its way.`, sends: [sent]}
    },
  }
}

const targetsOf = ({config}: Binding): readonly AgentTarget[] => config.tools.send?.to ?? []

const nameOf = ({endpoint, channel}: AgentTarget): string => `${channel} at ${endpoint}`
