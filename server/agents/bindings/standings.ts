import type {Standings} from "../../../shared/agents/standing.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Snapshot} from "../../generation/generation.ts"
import {isInstalled} from "../providers/packages.ts"
import {createTables} from "../tools/tables.ts"
import {Bindings} from "./bindings.ts"

const nowhere = (): never => {
  throw new Problem("starting", "no tool runs here")
}

/** Returns which bindings are configured when no Host runs: it calls none of their tools. */
export const standingsOf = (snapshot: Snapshot, project: string): Standings => {
  const tables = createTables({
    requireTarget: nowhere,
    privateHosts: nowhere,
    timers: {prepare: nowhere},
    database: {read: nowhere},
    workroom: {items: [], item: nowhere, run: nowhere, journalOf: nowhere},
    files: undefined,
    index: {problem: undefined},
  })
  const bindings = new Bindings({
    current: () => snapshot.agents,
    tools: () => tables(snapshot),
    isInstalled: name => isInstalled(name, project),
    mcpStateOf: () => ({is: "idle"}),
  })
  return bindings.standings()
}
