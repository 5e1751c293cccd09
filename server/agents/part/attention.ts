import type {Facts} from "../../../shared/attention/finding.ts"
import type {Database} from "../../database/database.ts"
import type {Bindings} from "../bindings/bindings.ts"
import {selectApprovals} from "./approvals.ts"
import {viewBindings} from "./binding-view.ts"
import {viewApproval} from "./views.ts"

/** The highest number of pending approvals to read. */
const most = 100

/** The state of the agents, as the console reads it. Without agents, nothing is read. */
export const readAgentAttention = async (bindings: Bindings, database: Database): Promise<Facts["agents"]> => {
  if (bindings.list().length === 0) return {items: [], approvals: []}
  const items = await viewBindings(bindings, database)
  if (!items.some(({approvals}) => approvals > 0)) return {items, approvals: []}
  const rows = await database.read(`${selectApprovals("a.state = 'waiting'", "a.seq DESC")} LIMIT ?`, [most])
  return {items, approvals: rows.map(viewApproval)}
}
