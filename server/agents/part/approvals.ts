import {approvalOperations} from "../../../shared/api/operations/agents.ts"
import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {newestFirst} from "../../database/lists/pages.ts"
import type {AgentService} from "../runs/service.ts"
import {viewApproval} from "./views.ts"

/** Selects approvals `a` with the id and agent of their run. The condition is on `a`, so that its index is used. */
export const selectApprovals = (condition: string, order: string): string =>
  `SELECT a.*, r.run_id, r.agent FROM agent_approvals a CROSS JOIN agent_runs r ON r.seq = a.run
    WHERE ${condition} ORDER BY ${order}`

export const approvalRoutes = (agents: AgentService, database: Database) => {
  const decide =
    (approve: boolean) =>
    async ({params: {id}, body: {by = "operator", reason}}: Asked<typeof approvalOperations.approve>) => {
      await agents.decide(id, {approve, by, ...(reason === undefined ? {} : {reason})})
      const [row] = await database.read(selectApprovals("a.id = ?", "a.seq"), [id])
      if (row === undefined) throw new Problem("approval_unknown", `there is no approval ${id}`)
      return viewApproval(row)
    }
  return serve(approvalOperations, {
    list: newestFirst({
      numberOf: ({seq}) => seq,
      read: async ({query: {state}}, before, most) => {
        const condition = `a.seq < ?${state === undefined ? "" : " AND a.state = ?"}`
        const values = state === undefined ? [before, most] : [before, state, most]
        return (await database.read(`${selectApprovals(condition, "a.seq DESC")} LIMIT ?`, values)).map(viewApproval)
      },
    }),
    approve: decide(true),
    deny: decide(false),
  })
}
