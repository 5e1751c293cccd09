import {agentOperations} from "../../../shared/api/operations/agents.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {Database} from "../../database/database.ts"
import type {Bindings} from "../bindings/bindings.ts"
import type {AgentService} from "../runs/service.ts"
import {viewAgent, viewBindings} from "./binding-view.ts"

export const agentRoutes = (agents: AgentService, bindings: Bindings, database: Database) => {
  const serverOf = ({name, server}: {readonly name: string; readonly server: string}) =>
    agents.mcpServer(bindings.require(name), server)
  return serve(agentOperations, {
    list: async () => ({items: await viewBindings(bindings, database)}),
    show: ({params}) => viewAgent(bindings, database, bindings.require(params.name)),
    run: async ({params, body}) => ({id: await agents.queue({agent: params.name, trigger: "operator", ...body})}),
    accept: async ({params, body}) => ({
      tools: await (await serverOf(params)).accept(body.tool),
    }),
    signIn: async ({params, body}) => ({
      url: await (await serverOf(params)).begin(body.redirect),
    }),
    finishSignIn: async ({params, body}) => {
      const server = await serverOf(params)
      await server.finish(body)
      return {state: server.state.is}
    },
    check: ({params, request}) => agents.check(params.name, request.signal),
  })
}
