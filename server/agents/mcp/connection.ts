import type {McpSettings} from "../../../shared/config/agents.ts"
import {fromJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {version} from "../../runtime/version.ts"
import {loadPackage} from "../providers/packages.ts"
import {boundedFetch} from "./bounded-fetch.ts"
import type {Fetch, ListedTool, McpPackage} from "./package.ts"
import {StdioTransport} from "./stdio.ts"

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
  fetch: Fetch = boundedFetch,
): Promise<McpConnection> => {
  const loaded = (await loadPackage("@ai-sdk/mcp", project)) as McpPackage
  let isOpen = true
  const transport =
    command === undefined
      ? ({
          type: "http",
          url: url ?? "",
          headers: key === undefined ? {} : {authorization: `Bearer ${key.reveal()}`},
          fetch,
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
