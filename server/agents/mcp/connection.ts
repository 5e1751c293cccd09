import type {McpSettings} from "../../../shared/config/agents.ts"
import {fromJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {version} from "../../runtime/version.ts"
import {loadPackage} from "../providers/packages.ts"
import type {ListedTool, McpPackage} from "./package.ts"
import {longestMessage, StdioTransport} from "./stdio.ts"

export interface McpConnection {
  isOpen(): boolean
  list(signal: AbortSignal): Promise<readonly ListedTool[]>
  /** Resolves to the result, which may say that the tool failed. A message of an error comes from the server. */
  call(tool: string, args: object, signal: AbortSignal): Promise<object>
  close(): Promise<void>
}

/** The most pages of a server's list of tools. */
const mostPages = 20

/** Starts or connects to a server. Rejects with the reason of `signal`, and with what the server does wrong. */
export const connect = async (
  {name, command, url, key, env}: McpSettings,
  {project, log}: {readonly project: string; readonly log: Log},
  signal: AbortSignal,
): Promise<McpConnection> => {
  const loaded = (await loadPackage("@ai-sdk/mcp", project)) as McpPackage
  let isOpen = true
  const transport =
    command === undefined
      ? ({
          type: "http",
          url: url ?? "",
          headers: key === undefined ? {} : {authorization: `Bearer ${key.reveal()}`},
          fetch: boundedFetch,
        } as const)
      : new StdioTransport({
          command,
          env: Object.fromEntries(Object.entries(env ?? {}).map(([each, value]) => [each, value.reveal()])),
          folder: project,
          read: line => loaded.validateJSONRPCMessage(fromJson(line)),
          onLog: text => log.debug(`MCP server ${name}: ${text.trimEnd()}`),
          onEnd: () => {
            isOpen = false
          },
        })
  const client = await loaded.createMCPClient({
    transport,
    initializationOptions: {signal},
    onUncaughtError: error => log.debug(`MCP server ${name}: ${String(error).slice(0, 500)}`),
    maxRetries: 0,
    clientName: "svc",
    version,
  })
  return {
    isOpen: () => isOpen,
    list: async limit => {
      const tools: ListedTool[] = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const found = await client.listTools({
          options: {signal: limit},
          ...(cursor === undefined ? {} : {params: {cursor}}),
        })
        tools.push(...found.tools)
        cursor = found.nextCursor
        if (cursor === undefined) break
      }
      return tools
    },
    call: (tool, args, limit) => client.callTool({name: tool, arguments: {...args}, options: {signal: limit}}),
    close: async () => {
      isOpen = false
      await client.close()
    },
  }
}

/** Fails once an answer has more than `longestMessage` bytes. */
const boundedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  let length = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      length += chunk.byteLength
      if (length > longestMessage) controller.error(new Error(`the answer has more than ${longestMessage} bytes`))
      else controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counting), response)
}
