import {fromJson, toJson} from "../../../shared/json.ts"
import type {Reader, Row, Statement} from "../../database/database.ts"
import {textIn} from "../../database/engine/cells.ts"

/** What a model reads about a tool. */
export interface Definition {
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly schema: object
}

/** A tool of a server, as it was accepted, and as the server offers it if that differs. */
export interface KnownTool {
  readonly tool: string
  readonly accepted: Definition | undefined
  readonly offered: Definition | undefined
}

const definitionIn = (cell: Row[string] | undefined): Definition | undefined => {
  const text = textIn(cell)
  return text === undefined ? undefined : (fromJson(text) as Definition)
}

/** Selects the tools of agents' servers. */
export const selectMcpTools =
  "SELECT * FROM agent_mcp_tools WHERE agent IN (SELECT value FROM json_each(?)) ORDER BY agent, server, tool"

export const knownOf = (row: Row): KnownTool => ({
  tool: String(row.tool),
  accepted: definitionIn(row.accepted),
  offered: definitionIn(row.offered),
})

export const readKnown = async (database: Reader, agent: string, server: string): Promise<readonly KnownTool[]> =>
  (await database.read("SELECT * FROM agent_mcp_tools WHERE agent = ? AND server = ?", [agent, server])).map(knownOf)

export const storingTool = (
  agent: string,
  server: string,
  {tool, accepted, offered}: KnownTool,
  at: number,
): Statement => ({
  sql: "INSERT OR REPLACE INTO agent_mcp_tools (agent, server, tool, accepted, offered, changed_at) VALUES (?, ?, ?, ?, ?, ?)",
  args: [
    ...[agent, server, tool, accepted === undefined ? null : toJson(accepted)],
    ...[offered === undefined ? null : toJson(offered), at],
  ],
})
