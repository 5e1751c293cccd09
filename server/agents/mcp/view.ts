import type {AgentMcpView} from "../../../shared/api/agents/agents.ts"
import type {McpSettings} from "../../../shared/config/agents.ts"
import type {Row} from "../../database/database.ts"
import {timeOf} from "../../database/lists/pages.ts"
import type {McpState} from "./server.ts"
import {knownOf} from "./tool-rows.ts"

/** Returns a server as the API shows it. `rows` are those of `selectMcpTools`. */
export const viewMcp = (agent: string, entry: McpSettings, state: McpState, rows: readonly Row[]): AgentMcpView => ({
  name: entry.name,
  transport: entry.command === undefined ? "http" : "stdio",
  state: state.is,
  since: "since" in state ? timeOf(state.since) : null,
  error: "error" in state ? state.error : null,
  tools: rows
    .filter(row => row.agent === agent && row.server === entry.name)
    .map(knownOf)
    .map(({tool, accepted, offered}) => ({
      name: tool,
      state: offered === undefined ? "accepted" : "waiting",
      description: (offered ?? accepted)?.description ?? "",
    })),
})
