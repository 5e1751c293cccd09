import type {Binding} from "../../shared/agents/binding.ts"
import type {Hide} from "./providers/hiding.ts"
import type {Model} from "./providers/model.ts"
import type {AgentTool} from "./runs/tool.ts"

/** What an evaluation uses in place of models and tools. */
export interface StandIns {
  /** `open` opens the binding's own model. What is kept of a call passes through `hide`. */
  model(binding: Binding, open: () => Promise<Model>, hide: Hide): Promise<Model>
  tool(tool: AgentTool): AgentTool
  /** The tools of the MCP servers of a binding, of which none starts. */
  foreign(binding: Binding): readonly AgentTool[]
}
