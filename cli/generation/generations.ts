import {Option} from "clipanion"
import {remarkOn} from "../../shared/api/configuration/unready.ts"
import {type PluginChanges, pluginChanges} from "../../shared/api/generation-changes.ts"
import type {Answer} from "../../shared/api/operations/client.ts"
import {connectHost} from "../kit/host-client.ts"
import {type Columns, postCommand, rowCommand, tableOf} from "../kit/rows.ts"
import type {DataCommand} from "../kit/svc-command.ts"

export const list = rowCommand({
  description: "list the committed generations, newest first, or compare the configurations of two",
  details:
    "Of two configurations it prints the differences, and nothing if they are equal. Variables appear as they are written, so the output contains no secret.",
  examples: [
    ["The newest ten", "svc generation list --limit 10"],
    ["The changes of generation 7", "svc generation list --diff 6 7"],
  ],
  options: {
    limit: Option.String("--limit", "20", {description: "How many to list"}),
    diff: Option.String("--diff", {arity: 2, description: "Compare two generations, the earlier one first"}),
  },
  run: async given => {
    if (given.diff !== undefined) return showDiff(given, given.diff)
    const {items} = await given.get("/api/generations", {limit: given.limit})
    given.show(items, rows => tableOf(columns, rows))
  },
})

const columns: Columns<Answer<"GET", "/api/generations">["items"][number]> = {
  "": ({current, pinned}) => (pinned ? "pinned" : current ? "runs" : ""),
  number: ({number}) => number,
  committed: ({committedAt}) => committedAt,
  configuration: ({configSha256}) => configSha256.slice(0, 12),
  reason: ({reason}) => reason,
}

const showDiff = async (given: DataCommand, numbers: readonly [string, string]): Promise<void> => {
  const read = numbers.map(async number => (await given.get("/api/generations/:number/config", {number})).config)
  const [from = "", to = ""] = await Promise.all(read)
  const {createTwoFilesPatch: compare, FILE_HEADERS_ONLY: headerOptions} = await import("diff")
  const [old = "", now = ""] = numbers.map(number => `generation ${number}`)
  const diff = from === to ? "" : compare(old, now, from, to, undefined, undefined, {headerOptions}).trimEnd()
  if (given.json || diff !== "") given.show({diff}, () => diff)
}

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
