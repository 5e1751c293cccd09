import {randomBytes} from "node:crypto"
import type {McpSettings} from "../../../shared/config/agents.ts"
import {isLoopback} from "../../runtime/proxy.ts"
import {boundedFetch} from "./bounded-fetch.ts"
import type {AuthorizationServer, Fetch, OAuthClient, OAuthProvider, OAuthTokens} from "./package.ts"

/** One way through OAuth: a sign-in from its beginning to its tokens, or a renewal. */
export interface Flow {
  readonly redirect: string
  readonly metadata: string | undefined
  readonly scope: string | undefined
  client: OAuthClient | undefined
  server?: AuthorizationServer | undefined
  tokens?: OAuthTokens | undefined
  state?: string
  verifier?: string
  /** Where the person signs in. */
  address?: URL
  /** The authorization server does not accept the tokens any more. */
  isRefused?: boolean
}

/** Throws unless others on the way cannot read what is sent there. */
export const requireSafe = (url: URL): URL => {
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url
  throw new Error(`${url.origin} is neither https nor on this machine`)
}

/** Fetches from safe addresses only, within the time and size that svc grants them. */
export const fetchWithin =
  (signal: AbortSignal): Fetch =>
  (input, init) => {
    requireSafe(new URL(input instanceof Request ? input.url : input))
    return boundedFetch(input, {...init, signal})
  }

/** Returns the client that a configuration names; undefined if svc must register. */
export const clientIn = ({oauth}: McpSettings): OAuthClient | undefined => {
  if (oauth?.clientId === undefined) return undefined
  const {clientId, clientSecret, issuer} = oauth
  return {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : {client_secret: clientSecret.reveal()}),
    ...(issuer === undefined ? {} : {issuer}),
  }
}

/** Keeps in `flow` what `auth` of `@ai-sdk/mcp` learns. */
export const providerOf = (flow: Flow): OAuthProvider => ({
  redirectUrl: flow.redirect,
  clientMetadata: {
    client_name: "svc",
    application_type: "native",
    redirect_uris: [flow.redirect],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(flow.scope === undefined ? {} : {scope: flow.scope}),
  },
  state: () => {
    flow.state = randomBytes(32).toString("base64url")
    return flow.state
  },
  clientInformation: () => flow.client,
  saveClientInformation: client => {
    flow.client = client
  },
  authorizationServerInformation: () => flow.server,
  saveAuthorizationServerInformation: server => {
    flow.server = server
  },
  tokens: () => flow.tokens,
  saveTokens: tokens => {
    // A renewal without a new refresh token leaves the old one valid (RFC 6749, 6).
    flow.tokens = {...flow.tokens, ...tokens}
  },
  invalidateCredentials: () => {
    flow.isRefused = true
    flow.tokens = undefined
  },
  codeVerifier: () => flow.verifier ?? "",
  saveCodeVerifier: verifier => {
    flow.verifier = verifier
  },
  redirectToAuthorization: address => {
    flow.address = requireSafe(address)
  },
})
