import type {CommandSummary, Sender} from "../../../../shared/sdk/sdk.ts"
import type {Api} from "../api/api.ts"

/** Kinds of options, and limits (Discord: Application Commands). */
const kind = {subcommand: 1, text: 3} as const
const limits = {commands: 100, subcommands: 25, description: 100} as const

/** Discord accepts letters, digits, `-`, `_` and `'` in a name, in lower case. */
const isName = (word: string): boolean =>
  /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(word) && word === word.toLowerCase()

const describe = (text: string): string =>
  text.length <= limits.description ? text || "…" : `${text.slice(0, limits.description - 1).toWellFormed()}…`

/** The text after a command's words. svc parses the arguments itself. */
const rest = {type: kind.text, name: "text", description: "The text after the command", required: false}

/**
 * Returns the bot's commands for Discord's list. Two-word commands that share the first word become its subcommands,
 * unless that word is a command itself. Of longer commands, Discord lists the first word and accepts the rest as text.
 */
export const commandsOf = (commands: readonly CommandSummary[]) => {
  const named = commands.map(({name, description}) => ({words: name.split(" "), description}))
  const groups = Map.groupBy(
    named.filter(({words: [first = ""]}) => isName(first)),
    ({words: [first = ""]}) => first,
  )
  return [...groups].slice(0, limits.commands).map(([name, group]) => {
    const [own] = group.filter(({words}) => words.length === 1)
    const isGroup = own === undefined && group.every(({words}) => words.length === 2 && isName(words[1] ?? ""))
    if (!isGroup) {
      const said = own?.description ?? group.map(({words}) => words.slice(1).join(" ")).join(", ")
      return {type: 1, name, description: describe(said), options: [rest]}
    }
    const options = group.slice(0, limits.subcommands).map(({words, description}) => ({
      type: kind.subcommand,
      name: words[1] ?? "",
      description: describe(description),
      options: [rest],
    }))
    return {type: 1, name, description: describe(group.map(({words}) => words[1]).join(", ")), options}
  })
}

/** Replaces the list that Discord shows after `/`, in every server. */
export const createCommands =
  (api: Api, application: string): NonNullable<Sender["commands"]> =>
  async (commands, signal) => {
    await api.ask("PUT", `/applications/${application}/commands`, {body: commandsOf(commands)}, signal)
  }
