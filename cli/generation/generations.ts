import {Option} from "clipanion"
import {remarkOn} from "../../shared/api/configuration/unready.ts"
import {type PluginChanges, pluginChanges} from "../../shared/api/generation-changes.ts"
import {connectHost} from "../kit/host-client.ts"
import {postCommand, rowCommand, wholeListCommand} from "../kit/rows.ts"

export const list = wholeListCommand({
  description: "list the committed generations, newest first",
  examples: [["The newest ten", "svc generation list --limit 10"]],
  path: "/api/generations",
  limit: Option.String("--limit", "20", {description: "How many to list"}),
  columns: {
    "": ({current, pinned}) => (pinned ? "pinned" : current ? "runs" : ""),
    number: ({number}) => number,
    committed: ({committedAt}) => committedAt,
    configuration: ({configSha256}) => configSha256.slice(0, 12),
    reason: ({reason}) => reason,
  },
})

export const rollback = rowCommand({
  description: "run the configuration of an earlier generation",
  details: `
    The Host commits that configuration as a new generation and pins it: it stays in effect, across restarts too, until svc.config.yml changes or you run svc generation unpin.

    The command does not change svc.config.yml, and plugins keep their present code.
  `,
  examples: [["Back to generation 6", "svc generation rollback 6"]],
  options: {number: Option.String({name: "number"})},
  run: async given => {
    const host = await connectHost(given.folder)
    const {items} = await host.get("/api/generations", {limit: 50})
    const running = items.find(({current}) => current)
    const wanted = items.find(({number}) => String(number) === given.number)
    const committed = await host.post("/api/generations/:number/rollback", {number: given.number})
    const told = running === undefined || wanted === undefined ? [] : describe(pluginChanges(running, wanted))
    given.show(committed, () =>
      [`generation ${committed.number} runs the configuration of ${given.number}, pinned`, ...told]
        .join("\n")
        .concat(remarkOn(committed.unready)),
    )
  },
})

const describe = ({enabled, disabled, code}: PluginChanges): readonly string[] => [
  ...(enabled.length === 0 ? [] : [`  enabled   ${enabled.join(", ")}`]),
  ...(disabled.length === 0 ? [] : [`  disabled  ${disabled.join(", ")}`]),
  ...(code.length === 0 ? [] : [`  not restored: the code of ${code.join(", ")}, which has changed since`]),
]

export const unpin = postCommand({
  description: "end a rollback: run svc.config.yml again",
  examples: [["End a rollback", "svc generation unpin"]],
  path: "/api/generations/unpin",
  describe: ({number, unready}) => `generation ${number} runs svc.config.yml${remarkOn(unready)}`,
})
