import type {McpSettings} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {McpControl, SignInAnswer} from "../runs/service.ts"
import {type AgentTool, ToolCutOff, type ToolUse} from "../runs/tool.ts"
import {resultOf} from "../runs/tool-result.ts"
import {connect, type McpConnection} from "./connection.ts"
import type {McpDeps} from "./deps.ts"
import {Offer} from "./offer.ts"
import type {ListedTool} from "./package.ts"
import {textOfResult} from "./result.ts"
import {SignIn} from "./sign-in.ts"
import {type KnownTool, readKnown, storingTool} from "./tool-rows.ts"

/** All in milliseconds: until a server answers; while a list of tools counts; until a server without calls ends. */
const [connectWithin, listedFor, idleFor] = [20_000, 5000, 600_000]

const pauses = {first: 1000, longest: 60_000}

/** The most tools of a server. */
const mostTools = 200

export type McpState =
  | {readonly is: "idle"}
  | {readonly is: "connecting"}
  | {readonly is: "online"; readonly since: number}
  | {readonly is: "failed" | "needs_sign_in"; readonly since: number; readonly error: string}

/** One MCP server of an agent. It starts when its tools are first needed. */
export class McpServer implements McpControl {
  readonly #agent: string
  readonly #entry: McpSettings
  readonly #deps: McpDeps
  readonly #offer: Offer
  readonly signIn: SignIn | undefined
  #state: McpState = {is: "idle"}
  #known: ReadonlyMap<string, KnownTool> | undefined
  #connection: McpConnection | undefined
  #connecting: Promise<McpConnection> | undefined
  #failures = 0
  #retryAt = 0
  #listedAt = 0
  #endIdle: () => void = () => {}

  constructor(agent: string, entry: McpSettings, deps: McpDeps) {
    this.#agent = agent
    this.#entry = entry
    this.#deps = deps
    this.#offer = new Offer(entry, deps.hide)
    if (entry.oauth !== undefined) this.signIn = new SignIn(agent, entry, entry.oauth.stateKey, deps)
  }

  get state(): McpState {
    if (this.signIn?.missing !== undefined) return {is: "needs_sign_in", ...this.signIn.missing}
    return this.#connection?.isOpen() === false && this.#state.is === "online" ? {is: "idle"} : this.#state
  }

  /** Learns the tools: from the database, or from a server that was never seen. No run waits again for one that failed. */
  async learn(): Promise<void> {
    const known = await this.#read()
    if (known.size > 0) return
    const isFailing = this.#state.is === "failed"
    // The failure is logged where it happens.
    const connected = this.#connected().catch(() => {})
    if (!isFailing) await connected
  }

  /** The tools that the agent may call. One that has changed is missing until an operator accepts it. */
  tools(): readonly AgentTool[] {
    return [...(this.#known?.values() ?? [])].flatMap(({tool, accepted, offered}) => {
      if (accepted === undefined || offered !== undefined) return []
      return this.#offer.toolOf(tool, accepted, use => this.#call(tool, use)) ?? []
    })
  }

  async begin(redirect: string): Promise<string> {
    return this.#requireSignIn().begin(redirect)
  }

  /** Completes a person's sign-in: the next call connects. Throws `mcp_sign_in`. */
  async finish(answer: SignInAnswer): Promise<void> {
    await this.#requireSignIn().finish(answer)
    await this.#end()
    ;[this.#failures, this.#retryAt, this.#state] = [0, 0, {is: "idle"}]
  }

  /** Throws `mcp_sign_in` for a server without OAuth. */
  #requireSignIn(): SignIn {
    if (this.signIn !== undefined) return this.signIn
    throw new Problem("mcp_sign_in", `the server ${this.#entry.name} has no oauth in svc.config.yml`)
  }

  /** Accepts what the server offers: one tool, or all. Resolves to their number. Throws `mcp_unknown`. */
  async accept(tool: string | undefined): Promise<number> {
    const known = await this.#read()
    const waiting = [...known.values()].filter(each => each.offered !== undefined && (tool ?? each.tool) === each.tool)
    if (waiting.length === 0)
      throw new Problem("mcp_unknown", `${tool ?? "no tool"} of ${this.#entry.name} waits to be accepted`)
    await this.#store(waiting.map(({tool: name, offered}) => ({tool: name, accepted: offered, offered: undefined})))
    return waiting.length
  }

  async close(): Promise<void> {
    this.#endIdle()
    await this.#connecting?.catch(() => {})
    this.#state = {is: "idle"}
    await this.#end()
  }

  async #end(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await withTimeLimit(3000, async () => connection?.close()).catch(error =>
      this.#deps.log.debug(`MCP server ${this.#entry.name}: ${messageOf(error)}`),
    )
  }

  async #call(tool: string, {args, signal}: ToolUse) {
    const connection = await this.#connected()
    signal.throwIfAborted()
    const known = this.#known?.get(tool)
    if (known?.accepted === undefined || known.offered !== undefined)
      throw new Error(`the server has changed the tool ${tool}: an operator must accept it`)
    const called = connection.call(tool, Object(args), signal)
    const result = await called.catch(error => {
      signal.throwIfAborted()
      throw isAnswer(error)
        ? new Error(this.#deps.hide(messageOf(error)))
        : new ToolCutOff(messageOf(error), {cause: error})
    })
    const {text, isError} = textOfResult(result)
    if (isError) throw new Error(this.#deps.hide(text.slice(0, 2000)))
    return {value: resultOf(text)}
  }

  /** Resolves to a connection whose tools were compared within the last seconds. */
  #connected(): Promise<McpConnection> {
    this.#endIdle()
    this.#endIdle = this.#deps.clock.wait(idleFor, () => void this.close())
    const connection = this.#connection
    const isFresh = this.#deps.clock.elapsed() - this.#listedAt < listedFor
    if (connection?.isOpen() === true && isFresh) return Promise.resolve(connection)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<McpConnection> {
    const {clock, log, hide} = this.#deps
    if (this.#state.is === "failed" && clock.elapsed() < this.#retryAt)
      throw new Error(`the MCP server ${this.#entry.name} failed: ${this.#state.error}`)
    if (this.#connection?.isOpen() !== true) this.#state = {is: "connecting"}
    try {
      await withTimeLimit(connectWithin, async signal => {
        if (this.#connection?.isOpen() !== true)
          this.#connection = await connect(this.#entry, this.#deps, signal, this.signIn?.fetch)
        await this.#compare(await this.#connection.list(signal))
      })
      this.#listedAt = clock.elapsed()
      this.#failures = 0
      if (this.#state.is !== "online") this.#state = {is: "online", since: clock.now()}
      const connection = this.#connection
      if (connection === undefined) throw new Error("the connection was closed")
      return connection
    } catch (cause) {
      const error = hide(messageOf(cause)).slice(0, 500)
      this.#retryAt = clock.elapsed() + pauseAfter(++this.#failures, pauses)
      this.#state = {is: "failed", since: clock.now(), error}
      void this.#end()
      log.warn(`the MCP server ${this.#entry.name} of ${this.#agent} failed: ${error}`)
      throw new Error(`the MCP server ${this.#entry.name} failed: ${error}`, {cause})
    }
  }

  /** Accepts all tools of a server that was never seen. Later, what differs waits for an operator. */
  async #compare(listed: readonly ListedTool[]): Promise<void> {
    const known = await this.#read()
    const isFirst = known.size === 0
    const changed = listed.slice(0, mostTools).flatMap(each => {
      const definition = this.#offer.definitionOf(each)
      if (definition === undefined) return []
      const found = known.get(each.name)
      const isSame = toJson(found?.accepted) === toJson(definition)
      const [accepted, offered] = isFirst ? [definition, undefined] : [found?.accepted, isSame ? undefined : definition]
      return found !== undefined && toJson(found.offered) === toJson(offered)
        ? []
        : [{tool: each.name, accepted, offered}]
    })
    await this.#store(changed)
    const waiting = changed.filter(({offered}) => offered !== undefined).map(({tool}) => tool)
    if (waiting.length > 0)
      this.#deps.log.warn(`the MCP server ${this.#entry.name} of ${this.#agent} has changed: ${waiting.join(", ")}`)
  }

  async #read(): Promise<ReadonlyMap<string, KnownTool>> {
    const found =
      this.#known ??
      new Map((await readKnown(this.#deps.database, this.#agent, this.#entry.name)).map(each => [each.tool, each]))
    this.#known = found
    return found
  }

  async #store(tools: readonly KnownTool[]): Promise<void> {
    if (tools.length === 0) return
    const {database, clock} = this.#deps
    await database.write(tools.map(each => storingTool(this.#agent, this.#entry.name, each, clock.now())))
    this.#known = new Map([...(await this.#read()), ...tools.map(each => [each.tool, each] as const)])
  }
}

/** Whether the server has answered: then it knows what it did. */
const isAnswer = (error: unknown): boolean => {
  const {code, statusCode} = Object(error)
  return typeof code === "number" || (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500)
}
