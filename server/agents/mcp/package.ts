/** The parts of `@ai-sdk/mcp` that svc uses; `tests/types/providers.ts` checks the package against them. */
export interface McpPackage {
  createMCPClient(config: {
    transport:
      | McpTransport
      | {
          type: "http"
          url: string
          headers: Record<string, string>
          fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
        }
    initializationOptions: {signal: AbortSignal}
    onUncaughtError: (error: unknown) => void
    maxRetries: number
    clientName: string
    version: string
  }): Promise<McpClient>
  validateJSONRPCMessage(message: unknown): unknown
}

export interface McpTransport {
  start(): Promise<void>
  send(message: unknown): Promise<void>
  close(): Promise<void>
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: unknown) => void
}

export interface McpClient {
  listTools(options: {
    params?: {cursor: string}
    options: {signal: AbortSignal}
  }): Promise<{tools: readonly ListedTool[]; nextCursor?: string | undefined}>
  callTool(call: {name: string; arguments: Record<string, unknown>; options: {signal: AbortSignal}}): Promise<object>
  close(): Promise<void>
}

export interface ListedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: object
}
