import {mcpOperations} from "../../../shared/api/operations/host.ts"
import {Reply, serve} from "../../../shared/api/operations/operation.ts"
import type {Route} from "../../../shared/route.ts"
import type {Caller} from "./call-tool.ts"
import {type Known, requireKnownSender} from "./known-sender.ts"
import {methodsFor, versions} from "./methods.ts"
import {Resources} from "./resources.ts"
import {answerMessage, refusal} from "./rpc.ts"
import type {Tool} from "./tools.ts"

/** The most messages of a batch, which only the oldest version of the protocol has. */
const longestBatch = 20

export interface McpOptions extends Omit<Caller, "request"> {
  readonly known: () => Known
  /** The routes of the Host's parts. */
  readonly ofParts: readonly Route[]
  /** The tools of the running generation. */
  readonly tools: () => ReadonlyMap<string, Tool>
}

/**
 * The Model Context Protocol by streamable HTTP, without sessions and streams: each POST is answered with JSON. A tool
 * calls a route of the API with the client's own token, so that scopes, checks and limits are the route's.
 */
export const mcpRoutes = ({known, ofParts, tools, ...caller}: McpOptions): readonly Route[] => {
  const resources = new Resources(ofParts)
  return serve(mcpOperations, {
    call: async ({request, call, body}) => {
      requireKnownSender(request, known())
      const version = request.headers.get("mcp-protocol-version")
      if (version !== null && !versions.some(each => each === version))
        return refuse(`the protocol versions are ${versions.join(", ")}`)
      const methods = methodsFor({caller: {...caller, request}, scope: call.scope, tools: tools(), resources})
      if (!Array.isArray(body)) {
        const answered = await answerMessage(body, methods)
        return answered === undefined ? accepted() : new Reply(answered.id === null ? 400 : 200, answered)
      }
      if (body.length === 0 || body.length > longestBatch) return refuse(`a batch has 1 to ${longestBatch} messages`)
      const answers: unknown[] = []
      for (const message of body) answers.push(await answerMessage(message, methods))
      const told = answers.filter(each => each !== undefined)
      return told.length === 0 ? accepted() : new Reply(200, told)
    },
  })
}

const refuse = (why: string) => new Reply(400, refusal(why))

const accepted = () => new Response(null, {status: 202})
