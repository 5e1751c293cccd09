import type {PublishedTool} from "../../generation/kinds/tool.ts"
import type {AgentTool} from "../runs/tool.ts"

/** The tools of one generation, by their names in bindings. */
export interface ToolTable {
  /** Returns undefined if there is no tool with this name. */
  get(name: string): AgentTool | undefined
  /** All names, svc's own first. */
  readonly names: readonly string[]
}

/** Returns svc's own tools and those of plugins, created on first use. A plugin's tool never replaces one of svc's. */
export const toolTable = (
  builtIns: readonly AgentTool[],
  published: ReadonlyMap<string, PublishedTool>,
  make: (name: string, tool: PublishedTool) => AgentTool,
): ToolTable => {
  const known = new Map(builtIns.map(tool => [tool.name, tool]))
  const names = [...known.keys(), ...[...published.keys()].filter(name => !known.has(name))]
  return {
    names,
    get: name => {
      const found = known.get(name)
      const declared = published.get(name)
      if (found !== undefined || declared === undefined) return found
      const made = make(name, declared)
      known.set(name, made)
      return made
    },
  }
}
