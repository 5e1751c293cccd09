import {Option} from "clipanion"
import type {MayAnswer} from "../../shared/api/users/permissions.ts"
import {facts, table} from "../kit/print.ts"
import {getCommand} from "../kit/rows.ts"

export const may = getCommand({
  description: "show the permission of a user, and the rule that decides it",
  details:
    "The running Host applies the same rules and code as to a message. Without `--channel` it answers for a direct conversation, where rules with a `channel` do not match.",
  examples: [
    ["In a channel", "svc user may irc~libera ada --channel '#team' --account ada"],
    ["In a direct conversation", "svc user may sandbox you"],
  ],
  options: {
    endpoint: Option.String({name: "endpoint"}),
    user: Option.String({name: "user"}),
    channel: Option.String("--channel", {description: "The platform's id of a group channel"}),
    account: Option.String("--account", {description: "The account that the platform vouches for"}),
    role: Option.String("--role", {description: "The id of a role that the user has on the platform"}),
  },
  path: "/api/permissions/user",
  describe: answer =>
    [
      facts([
        ["permission", answer.permission],
        ["rule", describeRule(answer)],
      ]),
      table(
        ["may", "what", "of", "needs"],
        answer.uses.map(({kind, name, of, needs, asks, allowed}) => [
          allowed ? "yes" : "no",
          `${kind} ${name}`,
          of,
          `${needs ?? "nothing"}${asks ? ", and an approval" : ""}`,
        ]),
      ),
    ].join("\n\n"),
})

const describeRule = ({rule, file}: MayAnswer): string =>
  rule === null
    ? `no rule matches, so the permission is user (${file}, permissions)`
    : `${file}:${rule.line}:${rule.column} permissions[${rule.index}]`
