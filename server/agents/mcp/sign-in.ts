import {timingSafeEqual} from "node:crypto"
import type {McpSettings} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Secret} from "../../../shared/secret.ts"
import {readMeta} from "../../database/state/meta.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {loadPackage} from "../providers/packages.ts"
import type {SignInAnswer} from "../runs/service.ts"
import {boundedFetch} from "./bounded-fetch.ts"
import type {McpDeps} from "./deps.ts"
import {type Kept, KeptFile} from "./kept-sign-in.ts"
import type {Fetch, McpPackage} from "./package.ts"
import {clientIn, type Flow, fetchWithin, providerOf, requireSafe} from "./sign-in-flow.ts"

/** In milliseconds: until an authorization server has answered, and how long a person may take. */
const [answerWithin, signInWithin] = [20_000, 600_000]

/** The tokens of one MCP server with OAuth: a person signs in once, then svc renews them. */
export class SignIn {
  readonly #agent: string
  readonly #entry: McpSettings
  readonly #deps: McpDeps
  readonly #url: string
  readonly #key: Secret
  #file: KeptFile | undefined
  #looked: Promise<void> | undefined
  #kept: Kept | undefined
  #missing: {readonly since: number; readonly error: string} | undefined
  #begun: {readonly flow: Flow; readonly until: number} | undefined
  #renewing: Promise<string> | undefined

  constructor(agent: string, entry: McpSettings, key: Secret, deps: McpDeps) {
    this.#agent = agent
    this.#entry = entry
    this.#url = entry.url ?? ""
    this.#key = key
    this.#deps = deps
  }

  /** Set if a person must sign in. */
  get missing() {
    return this.#missing
  }

  /** Reads the sign-in of an earlier Host. */
  look(): Promise<void> {
    this.#looked ??= this.#read().catch(error => {
      this.#looked = undefined
      throw error
    })
    return this.#looked
  }

  /** Resolves to the address where a person signs in. Throws `mcp_sign_in`. */
  async begin(redirect: string): Promise<string> {
    await this.look()
    const address = await this.#asking(async (fetchSafely, signal) => {
      const asked = await this.#challenge(fetchSafely, signal)
      const {scope = asked.scope} = this.#entry.oauth ?? {}
      const flow: Flow = {redirect, metadata: asked.metadata, scope, client: clientIn(this.#entry)}
      await this.#auth(flow, fetchSafely)
      if (flow.address === undefined) throw new Error("it names no address to sign in")
      this.#begun = {flow, until: this.#deps.clock.elapsed() + signInWithin}
      return flow.address
    })
    return address.href
  }

  /** Exchanges the code. An answer counts once, within ten minutes. Throws `mcp_sign_in`. */
  async finish({state, code, iss}: SignInAnswer): Promise<void> {
    const begun = this.#begun
    const isKnown = begun !== undefined && begun.until > this.#deps.clock.elapsed() && isSame(begun.flow.state, state)
    if (!isKnown) throw new Problem("mcp_sign_in", `no sign-in to ${this.#entry.name} waits for this answer`)
    this.#begun = undefined
    const {flow} = begun
    this.#deps.learnSecrets([code])
    await this.#asking(fetchSafely => this.#auth(flow, fetchSafely, {code, state, iss}))
    await this.#keep(flow)
  }

  /** Sends the token, and renews one that the server refuses. */
  readonly fetch: Fetch = async (input, init) => {
    await this.look()
    const kept = this.#kept
    if (kept === undefined) throw new Error(this.#missing?.error)
    const send = (token: string) => {
      const headers = new Headers(init?.headers)
      headers.set("authorization", `Bearer ${token}`)
      return boundedFetch(input, {...init, headers})
    }
    const response = await send(kept.tokens.access_token)
    if (response.status !== 401) return response
    await response.body?.cancel()
    return send(await this.#renewed(kept))
  }

  async #read(): Promise<void> {
    const {project, database} = this.#deps
    const {name} = this.#entry
    const authority = (await readMeta(database, "authority")) ?? ""
    this.#file = new KeptFile(project, `${this.#agent}.${name}`, this.#key, [this.#agent, name, this.#url, authority])
    const found = await this.#file.read()
    if (found === undefined) return this.#miss("nobody has signed in")
    if (found === "unreadable") return this.#miss("the sign-in is of another key, address or state of the project")
    this.#know(found)
  }

  /** Concurrent calls share one renewal: a second one with the same refresh token may end the sign-in. */
  #renewed(used: Kept): Promise<string> {
    const now = this.#kept
    if (now === undefined) return Promise.reject(new Error(this.#missing?.error))
    if (now !== used) return Promise.resolve(now.tokens.access_token)
    this.#renewing ??= this.#renew(used).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(used: Kept): Promise<string> {
    const flow: Flow = {...used, scope: this.#entry.oauth?.scope, client: clientIn(this.#entry) ?? used.client}
    const {refresh_token} = used.tokens
    const failure = refresh_token === undefined ? undefined : await this.#renewal(flow)
    if (this.#kept !== undefined && this.#kept !== used) return this.#kept.tokens.access_token
    if (refresh_token === undefined || flow.isRefused === true || isRefusal(failure)) {
      await this.#file?.remove()
      this.#miss("the authorization server has ended the sign-in")
      throw new Error(this.#missing?.error)
    }
    // Without an answer of the server, the library asks for a new sign-in. The tokens may still be good.
    if (failure !== undefined || flow.address !== undefined)
      throw new Error(`the token was not renewed: ${failure === undefined ? "no answer" : messageOf(failure)}`)
    await this.#keep(flow)
    return flow.tokens?.access_token ?? ""
  }

  #renewal(flow: Flow): Promise<unknown> {
    return withTimeLimit(answerWithin, signal => this.#auth(flow, fetchWithin(signal))).then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  async #auth(flow: Flow, fetchFn: Fetch, answer?: SignInAnswer): Promise<void> {
    const {auth} = (await loadPackage("@ai-sdk/mcp", this.#deps.project)) as McpPackage
    await auth(providerOf(flow), {
      serverUrl: this.#url,
      fetchFn,
      ...(flow.scope === undefined ? {} : {scope: flow.scope}),
      ...(flow.metadata === undefined ? {} : {resourceMetadataUrl: new URL(flow.metadata)}),
      ...(answer === undefined ? {} : {authorizationCode: answer.code, callbackState: answer.state}),
      ...(answer?.iss === undefined ? {} : {callbackIssuer: answer.iss}),
    })
  }

  /** Asks the server without a token: its refusal may say where it is described, and which scope it wants. */
  async #challenge(fetchSafely: Fetch, signal: AbortSignal) {
    const asked = await fetchSafely(requireSafe(new URL(this.#url)), {
      method: "POST",
      headers: {"content-type": "application/json", accept: "application/json, text/event-stream"},
      body: toJson({jsonrpc: "2.0", id: 1, method: "ping"}),
      redirect: "error",
      signal,
    })
    await asked.body?.cancel()
    const header = asked.headers.get("www-authenticate") ?? ""
    const partOf = (name: string) => new RegExp(`(?:^|[,\\s])${name}="([^"]*)"`, "i").exec(header)?.[1]
    return {metadata: partOf("resource_metadata"), scope: partOf("scope")}
  }

  async #asking<T>(work: (fetchSafely: Fetch, signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withTimeLimit(answerWithin, signal => work(fetchWithin(signal), signal))
    } catch (cause) {
      const why = this.#deps.hide(messageOf(cause)).slice(0, 500)
      throw new Problem("mcp_sign_in", `the sign-in to ${this.#entry.name} failed: ${why}`, {cause})
    }
  }

  async #keep({redirect, metadata, client, server, tokens}: Flow): Promise<void> {
    if (client === undefined || tokens === undefined) throw new Problem("mcp_sign_in", "there came no token")
    const kept = {redirect, metadata, client, server, tokens}
    this.#know(kept)
    await this.#file?.write(kept)
  }

  #know(kept: Kept): void {
    this.#kept = kept
    this.#missing = undefined
    const {access_token, refresh_token = "", id_token = ""} = kept.tokens
    this.#deps.learnSecrets([access_token, refresh_token, id_token, kept.client.client_secret ?? ""])
  }

  #miss(why: string): void {
    this.#kept = undefined
    const command = `svc agent mcp ${this.#agent} ${this.#entry.name} --sign-in`
    this.#missing = {since: this.#deps.clock.now(), error: `${why}: ${command}`}
  }
}

const isSame = (expected = "", given: string): boolean => {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length > 0 && one.length === other.length && timingSafeEqual(one, other)
}

/** Whether the authorization server does not know svc any more (RFC 6749, 5.2), or is another one. */
const isRefusal = (error: unknown): boolean => {
  const {errorCode} = Object(error?.constructor)
  return /^(invalid_client|unauthorized_client|authorization_server_mismatch)$/.test(String(errorCode))
}
