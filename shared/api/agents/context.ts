import {agentStepStates} from "../../agents/states.ts"
import {Named, orNull, type Static, Time, Type} from "../../type.ts"

/** What a model was sent, as the API shows it: built again from the rows, with what was forgotten since. */

const ContextPart = Named("AgentContextPart", {
  part: Type.Enum(["instructions", "tools", "earlier", "memory", "question", "reply", "result"]),
  id: orNull(Type.Integer(), {description: "The number of the memory, of the earlier run, or of the step"}),
  at: orNull(Time("When the memory or the earlier run began")),
  state: Type.Enum(["sent", "changed", "forgotten"], {
    description: "Changed: the configuration is another one since. Forgotten: deleted since, or no longer allowed here",
  }),
  tokens: Type.Integer({description: "An estimate"}),
  text: orNull(Type.String(), {private: true}),
})
export type ContextPart = Static<typeof ContextPart>

export const AgentContext = Named("AgentContext", {
  runId: Type.String(),
  calls: Type.Array(
    Named("AgentContextCall", {
      step: Type.Integer(),
      model: Type.String(),
      state: Type.Enum([...agentStepStates]),
      exact: Type.Boolean({description: "The parts are all that was sent, unchanged"}),
      tokens: Type.Integer({description: "An estimate of all parts"}),
      tokensIn: orNull(Type.Integer(), {description: "As the provider counted them"}),
      parts: Type.Array(ContextPart),
    }),
  ),
})
export type AgentContext = Static<typeof AgentContext>
