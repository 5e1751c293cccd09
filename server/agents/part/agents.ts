import type {AgentCheck} from "../../../shared/api/agents/agents.ts"
import {agentOperations} from "../../../shared/api/operations/agents.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {Database} from "../../database/database.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Bindings} from "../bindings/bindings.ts"
import type {AgentService} from "../runs/service.ts"
import {viewAgent, viewBindings} from "./binding-view.ts"

export const agentRoutes = (agents: AgentService, bindings: Bindings, database: Database) =>
  serve(agentOperations, {
    list: async () => ({items: await viewBindings(bindings, database)}),
    show: ({params}) => viewAgent(bindings, database, bindings.require(params.name)),
    run: async ({params, body}) => ({id: await agents.queue({agent: params.name, trigger: "operator", ...body})}),
    accept: async ({params, body}) => ({
      tools: await agents.accept(bindings.require(params.name), params.server, body.tool),
    }),
    check: ({params, request}) => check(agents, bindings, params.name, request.signal),
  })

/** A check's time limit, in milliseconds: below a request's minute, so that the answer can say if a provider hangs. */
const checkTime = 45_000

const check = async (
  agents: AgentService,
  bindings: Pick<Bindings, "require">,
  name: string,
  signal: AbortSignal,
): Promise<AgentCheck> => {
  const {model} = bindings.require(name).config
  const began = performance.now()
  try {
    return await withTimeLimit(checkTime, limited => agents.check(name, limited), signal)
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error
    return {
      ok: false,
      milliseconds: Math.round(performance.now() - began),
      model,
      answer: null,
      tokens: null,
      problem: `the model did not answer within ${checkTime / 1000} s`,
      hint: "Check that the provider's server runs, and that baseURL is its address.",
    }
  }
}
