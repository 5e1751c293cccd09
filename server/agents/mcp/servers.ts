import type {Binding} from "../../../shared/agents/binding.ts"
import type {McpSettings} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {AgentTool} from "../runs/tool.ts"
import type {McpDeps} from "./deps.ts"
import {McpServer, type McpState} from "./server.ts"

/** The MCP servers of all agents. */
export class McpServers {
  readonly #deps: McpDeps
  readonly #open = new Map<string, {readonly print: string; readonly server: McpServer}>()

  constructor(deps: McpDeps) {
    this.#deps = deps
  }

  /** Learns the tools of an agent's servers, which a model and a call need. Never throws for a server that fails. */
  async learn(binding: Binding): Promise<void> {
    await Promise.all(binding.config.mcp.map(entry => this.#of(binding.name, entry).learn()))
  }

  toolsOf(binding: Binding): readonly AgentTool[] {
    return binding.config.mcp.flatMap(entry => this.#of(binding.name, entry).tools())
  }

  stateOf(agent: string, {name}: McpSettings): McpState {
    return this.#open.get(`${agent}/${name}`)?.server.state ?? {is: "idle"}
  }

  /** Throws `mcp_unknown`. */
  require({name, config}: Binding, server: string): McpServer {
    const entry = config.mcp.find(each => each.name === server)
    if (entry === undefined) throw new Problem("mcp_unknown", `the agent ${name} has no MCP server ${server}`)
    return this.#of(name, entry)
  }

  /** Ends the servers whose entry these bindings do not have any more, and looks who must sign in. */
  async keep(bindings: readonly Binding[]): Promise<void> {
    const prints = new Map(
      bindings.flatMap(({name, config}) =>
        config.mcp.map((entry): [string, string] => [`${name}/${entry.name}`, printOf(entry)]),
      ),
    )
    const gone = [...this.#open].filter(([key, {print}]) => prints.get(key) !== print)
    for (const [key] of gone) this.#open.delete(key)
    const signIns = bindings.flatMap(({name, config}) => config.mcp.map(entry => [name, entry] as const))
    await Promise.all([
      ...gone.map(([, {server}]) => server.close()),
      ...signIns.map(([name, entry]) => entry.oauth && this.#of(name, entry).signIn?.look()),
    ])
  }

  #of(agent: string, entry: McpSettings): McpServer {
    const key = `${agent}/${entry.name}`
    const found = this.#open.get(key)
    if (found !== undefined) return found.server
    const server = new McpServer(agent, entry, this.#deps)
    this.#open.set(key, {print: printOf(entry), server})
    return server
  }
}

/** Differs for entries that differ, also in a secret. Kept in memory only. */
const printOf = ({key, env, oauth, ...rest}: McpSettings): string =>
  toJson([
    ...[rest, key?.reveal(), oauth, oauth?.stateKey.reveal(), oauth?.clientSecret?.reveal()],
    Object.entries(env ?? {}).map(([name, value]) => [name, value.reveal()]),
  ])
