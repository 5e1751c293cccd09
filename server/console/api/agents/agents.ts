import {AgentAsk, AgentCheck, AgentView} from "../../../../shared/api/agents/agents.ts"
import {Accepted} from "../../../../shared/api/messages.ts"
import type {Operation} from "../../../../shared/sdk/route.ts"
import {Type} from "../../../../shared/type.ts"
import type {Bindings} from "../../../agents/bindings/bindings.ts"
import type {AgentService} from "../../../agents/service.ts"
import type {Database} from "../../../database/database.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../../runtime/flow/time-limit.ts"
import {answering} from "../../operations.ts"
import {viewBindings} from "./binding-view.ts"

const AgentList = Type.Object({items: Type.Array(AgentView)}, {title: "AgentList"})

export const listAgents = (bindings: Bindings, database: Database): Operation => ({
  summary: "The agent bindings of the configuration, with their state and activity",
  response: {200: AgentList},
  handle: async (_, call) => call.json(AgentList, {items: await viewBindings(bindings, database)}),
})

export const showAgent = (bindings: Bindings, database: Database): Operation => ({
  summary: "One agent binding",
  response: {200: AgentView},
  problems: ["agent_unknown"],
  handle: async (_, call) => {
    const [view] = await viewBindings(bindings, database, [bindings.require(call.params.name ?? "")])
    return call.json(AgentView, view)
  },
})

export const runAgent = answering({
  summary: "Ask an agent something; the run is durable once this returns",
  body: AgentAsk,
  answer: Accepted,
  status: 202,
  problems: ["agent_unknown", "agent_disabled", "agent_misconfigured", "ingress_paused"],
  run: async ({body, params: {name = ""}}, agents: AgentService) => ({
    id: await agents.queue({agent: name, trigger: "operator", ...body}),
  }),
})

/**
 * The time limit of a check, in milliseconds. It is below the minute of a request, so that the answer can say that the
 * provider hangs.
 */
const checkTime = 45_000

export const checkAgent = (agents: AgentService, bindings: Pick<Bindings, "require">): Operation => ({
  summary: "Call an agent's model once to check that it answers",
  response: {200: AgentCheck},
  problems: ["agent_unknown", "agent_disabled", "agent_misconfigured"],
  handle: async (request, call) => {
    const {name, config} = bindings.require(call.params.name ?? "")
    const began = performance.now()
    try {
      const checked = await withTimeLimit(checkTime, signal => agents.check(name, signal), request.signal)
      return call.json(AgentCheck, checked)
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error
      return call.json(AgentCheck, {
        ok: false,
        milliseconds: Math.round(performance.now() - began),
        model: config.model,
        answer: null,
        tokens: null,
        problem: `the model did not answer within ${checkTime / 1000} s`,
        hint: "Check that the provider's server runs, and that baseURL is its address.",
      })
    }
  },
})
