import {hash, randomUUID} from "node:crypto"
import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import {json, text} from "node:stream/consumers"
import {listen} from "../machine/listen.ts"

/** How the authorization server misbehaves. */
export type Lie = "issuer" | "huge" | "hang" | "redirect" | "broken token" | "unsafe"

export interface OAuthServer {
  /** Of the MCP server, which accepts the tokens of this authorization server alone. */
  readonly url: string
  lie: Lie | undefined
  /** The forms that reached the token endpoint. */
  readonly exchanges: readonly URLSearchParams[]
  readonly access: Set<string>
  readonly refresh: Set<string>
  /** How many calls of its tool were answered. */
  calls: number
  /** How long the token endpoint takes after it has used up a code, in milliseconds. */
  delay: number
  /** Signs a person in at an address, and resolves to where the browser is sent. */
  visit(address: string): Promise<string>
}

const results: Readonly<Record<string, object>> = {
  initialize: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "stand-in", version: "1"}},
  "tools/list": {tools: [{name: "add", description: "Adds", inputSchema: {type: "object"}}]},
}

/** A stand-in for an MCP server and its authorization server: discovery, registration, PKCE and rotating tokens. */
export const startOAuthServer = async (): Promise<OAuthServer> => {
  const exchanges: URLSearchParams[] = []
  const codes = new Map<string, URLSearchParams>()
  let base = ""
  const say = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
    response.writeHead(status, {"content-type": "application/json", ...headers}).end(JSON.stringify(body))

  const describe = (response: ServerResponse) => {
    if (state.lie === "hang") return
    if (state.lie === "redirect") return void response.writeHead(302, {location: "http://192.0.2.1/"}).end()
    if (state.lie === "huge") return void response.end("x".repeat(50_000_000))
    const unsafe = state.lie === "unsafe" ? "http://accounts.example" : base
    say(response, 200, {
      issuer: state.lie === "issuer" ? "https://accounts.example" : base,
      authorization_endpoint: `${unsafe}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    })
  }

  const grant = (form: URLSearchParams): boolean => {
    if (form.get("resource") !== `${base}/mcp`) return false
    if (form.get("grant_type") === "refresh_token") return state.refresh.delete(form.get("refresh_token") ?? "")
    const asked = codes.get(form.get("code") ?? "")
    codes.delete(form.get("code") ?? "")
    const challenge = hash("sha256", form.get("code_verifier") ?? "", "base64url")
    return challenge === asked?.get("code_challenge") && form.get("redirect_uri") === asked.get("redirect_uri")
  }

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    exchanges.push(form)
    if (state.lie === "broken token") return say(response, 503, {error: "temporarily_unavailable"})
    if (!grant(form)) return say(response, 400, {error: "invalid_grant"})
    await new Promise(resolve => setTimeout(resolve, state.delay))
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    state.access.add(access_token)
    state.refresh.add(refresh_token)
    return say(response, 200, {access_token, refresh_token, token_type: "Bearer", expires_in: 3600})
  }

  const serveMcp = async (request: IncomingMessage, response: ServerResponse) => {
    const [, token = ""] = /^Bearer (.*)$/.exec(request.headers.authorization ?? "") ?? []
    if (!state.access.has(token))
      return say(response, 401, {}, {"www-authenticate": `Bearer resource_metadata="${base}/described", scope="sums"`})
    if (request.method !== "POST") return response.writeHead(405).end()
    const {id, method} = (await json(request)) as {readonly id?: number; readonly method: string}
    if (id === undefined) return response.writeHead(202).end()
    if (method === "tools/call") state.calls++
    const called = {content: [{type: "text", text: `the token is ${token}`}]}
    return say(response, 200, {jsonrpc: "2.0", id, result: results[method] ?? called})
  }

  const server = createServer(async (request, response) => {
    const {pathname, searchParams} = new URL(request.url ?? "", base)
    if (pathname === "/mcp") await serveMcp(request, response)
    else if (pathname === "/described") say(response, 200, {resource: `${base}/mcp`, authorization_servers: [base]})
    else if (pathname === "/.well-known/oauth-authorization-server") describe(response)
    else if (pathname === "/register") say(response, 201, {...Object(await json(request)), client_id: randomUUID()})
    else if (pathname === "/token") await exchange(request, response)
    else if (pathname === "/authorize") {
      const code = `code-${randomUUID()}`
      codes.set(code, searchParams)
      const query = new URLSearchParams({code, state: searchParams.get("state") ?? "", iss: base})
      response.writeHead(302, {location: `${searchParams.get("redirect_uri")}?${query}`}).end()
    } else response.writeHead(404).end()
  })
  base = `http://127.0.0.1:${await listen(server)}`
  const state: OAuthServer = {
    ...{url: `${base}/mcp`, exchanges, access: new Set(), refresh: new Set(), lie: undefined, calls: 0, delay: 0},
    visit: async address => (await fetch(address, {redirect: "manual"})).headers.get("location") ?? "",
  }
  return state
}
