export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The parts of `@ai-sdk/mcp` that svc uses; `tests/types/providers.ts` checks the package against them. */
export interface McpPackage {
  createMCPClient(config: {
    transport:
      | McpTransport
      | {
          type: "http"
          url: string
          headers: Record<string, string>
          fetch: Fetch
        }
    initializationOptions: {signal: AbortSignal}
    onUncaughtError: (error: unknown) => void
    maxRetries: number
    clientName: string
    version: string
  }): Promise<McpClient>
  validateJSONRPCMessage(message: unknown): unknown
  auth(
    provider: OAuthProvider,
    options: {
      serverUrl: string
      fetchFn: Fetch
      scope?: string
      resourceMetadataUrl?: URL
      authorizationCode?: string
      callbackState?: string
      callbackIssuer?: string
    },
  ): Promise<"AUTHORIZED" | "REDIRECT">
}

export interface OAuthClient {
  client_id: string
  client_secret?: string | undefined
  issuer?: string | undefined
}

export interface OAuthTokens {
  access_token: string
  token_type: string
  refresh_token?: string | undefined
  id_token?: string | undefined
}

export interface AuthorizationServer {
  issuer?: string
  authorizationServerUrl: string
  tokenEndpoint: string
}

/** What `auth` asks for and hands over. */
export interface OAuthProvider {
  redirectUrl: string
  clientMetadata: {redirect_uris: string[]; scope?: string; [more: string]: unknown}
  state(): string
  clientInformation(): OAuthClient | undefined
  saveClientInformation(client: OAuthClient): void
  authorizationServerInformation(): AuthorizationServer | undefined
  saveAuthorizationServerInformation(server: AuthorizationServer): void
  tokens(): OAuthTokens | undefined
  saveTokens(tokens: OAuthTokens): void
  invalidateCredentials(): void
  codeVerifier(): string
  saveCodeVerifier(verifier: string): void
  redirectToAuthorization(address: URL): void
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
