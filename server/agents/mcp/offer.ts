import type {McpSettings} from "../../../shared/config/agents.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {TSchema} from "../../../shared/type.ts"
import {hideIn} from "../providers/hiding.ts"
import {modelNameOf} from "../runs/conversation.ts"
import type {AgentTool} from "../runs/tool.ts"
import type {ListedTool} from "./package.ts"
import type {Definition} from "./tool-rows.ts"

/** The most characters of a tool's schema and description. */
const [longestSchema, longestDescription] = [32 * 1024, 4000]

/** In milliseconds. */
const callWithin = 60_000

/** Providers accept names of at most 64 characters. */
const [toolName, longestName] = [/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 64]

/** What an agent accepts of a server's list. */
export class Offer {
  readonly #entry: McpSettings
  readonly #allowed: readonly RegExp[]
  readonly #hide: (text: string) => string

  constructor(entry: McpSettings, hide: (text: string) => string) {
    this.#entry = entry
    this.#allowed = entry.allow.map(pattern => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`))
    this.#hide = hide
  }

  /** Returns undefined for a tool that is not allowed, or that no model should read. */
  definitionOf({name, description = "", inputSchema}: ListedTool): Definition | undefined {
    const schema = toJson(inputSchema)
    if (!this.allows(name) || schema.length > longestSchema) return undefined
    const given = {
      description: description.slice(0, longestDescription).toWellFormed(),
      schema: Object(fromJson(schema)),
    }
    return hideIn(given, this.#hide)
  }

  /** Returns a tool as the model calls it; undefined if it is not allowed. */
  toolOf(tool: string, {description, schema}: Definition, run: AgentTool["run"]): AgentTool | undefined {
    if (!this.allows(tool)) return undefined
    const {name, effect, permission, approval} = this.#entry
    // The server checks the arguments: its patterns must not run in the Host.
    const parameters = schema as TSchema
    const made = {name: `${name}.${tool}`, description, parameters, effect, permission, approval}
    return {...made, isForeign: true, timeout: callWithin, run}
  }

  allows(tool: string): boolean {
    if (!toolName.test(tool) || modelNameOf(`${this.#entry.name}.${tool}`).length > longestName) return false
    return this.#allowed.some(pattern => pattern.test(tool))
  }
}
