import {Option} from "clipanion"
import {postCommand} from "../kit/rows.ts"

export const approve = postCommand({
  description: "approve a user by the code that an agent gave in a direct message",
  details:
    "The user becomes a member of the endpoint, and the bot says so. A repetition changes nothing. Needs a running Host, and agents with `triggers.pairing: true`.",
  examples: [["The code that the user sent you", "svc user approve KWTRHEMN"]],
  options: {code: Option.String({name: "code"})},
  path: "/api/users/approve",
  describe: ({user, endpoint, agent}) => `${user} at ${endpoint} may talk to agents; asked ${agent}`,
})
