import type {PublishedTool} from "../../generation/generation.ts"
import type {AgentTool} from "./tool.ts"

/** The tools of one generation, by the names that bindings use. */
export interface ToolTable {
  /** Undefined where there is none of that name. */
  get(name: string): AgentTool | undefined
  /** Of all: svc's own first. */
  readonly names: readonly string[]
}

/**
 * svc's own tools, and those that plugins publish, each made when it is first asked for. A plugin whose tool has the name of one of
 * svc's own does not take its place.
 */
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
