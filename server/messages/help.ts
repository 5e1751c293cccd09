import {includesPermission, type Permission} from "../../shared/sdk/permission.ts"
import {parsePattern} from "./arguments/pattern.ts"
import type {Command} from "./command.ts"
import {usageOf} from "./command.ts"
import type {Routed, Router} from "./router.ts"
import {takeWord} from "./words.ts"

/** Commands that one help message lists. */
const mostListed = 40

/** The Host's own command: `help`, and `help <command>`. A plugin's `help` takes its place. */
export const helpCommand = (router: () => Router): Command => ({
  id: "host/help",
  owner: "host",
  ...parsePattern("help [command:text]"),
  aliases: [],
  definition: {description: "Lists the commands, or tells about one"},
  handle: ({args, session}) => {
    const prefix = router().manner(session.text.trim(), session.event)
    return helpText(router(), prefix, session.permission, args.command === undefined ? undefined : String(args.command))
  },
})

const helpText = (router: Router, prefix: string, permission: Permission, words: string | undefined): string => {
  if (words === undefined) return list("Commands:", router.commands, prefix, permission)
  const command = router.find(words)
  const group = listGroup(router, words, prefix, permission)
  if (command !== undefined && mayCall(command, permission))
    return [describeCommand(prefix, command), ...(group === undefined ? [] : [group])].join("\n")
  return group ?? noCommand(words, `${prefix}help lists all.`)
}

const mayCall = ({definition}: Command, permission: Permission) =>
  definition.permission === undefined || includesPermission(permission, definition.permission)

/**
 * The answer to a call that does not fit the command; `prefix` is how the bot was called. Where commands go on after this one's
 * words, it says which of them was probably meant by `rest`, else it lists them.
 */
export const misuseText = (
  router: Router,
  command: Command,
  why: string,
  {prefix = router.prefix, permission = "admin", rest = ""}: Asked & {readonly rest?: string} = {},
): string => {
  const words = command.path.join(" ")
  const [word = ""] = takeWord(rest)
  const meant = word === "" ? undefined : router.meantAfter(words, word)
  if (meant !== undefined && isForUser(router, `${words} ${meant}`, permission))
    return noCommand(`${words} ${word}`, `Did you mean ${prefix}${words} ${meant}?`)
  const group = listGroup(router, words, prefix, permission)
  return `${why}. Usage: ${prefix}${usageOf(command)}${group === undefined ? "" : `\n${group}`}`
}

/** How the bot was called, and by whom. */
interface Asked {
  readonly prefix?: string
  readonly permission?: Permission
}

const noCommand = (words: string, hint: string) => `There is no command "${words}". ${hint}`

/**
 * The answer to a command that does not exist; nothing where it may have been meant for somebody else. What the user may
 * not call is not suggested. A group of commands answers with its commands.
 */
export const unknownText = (
  router: Router,
  {word, meant, group, direct}: Extract<Routed, {is: "unknown"}>,
  {prefix = router.prefix, permission = "admin"}: Asked = {},
): string | undefined => {
  if (meant !== undefined && isForUser(router, meant, permission))
    return noCommand(word, `Did you mean ${prefix}${meant}?`)
  const list = group === "" ? undefined : listGroup(router, group, prefix, permission)
  if (list !== undefined) return word === group ? list : noCommand(word, list)
  return direct ? noCommand(word, `${prefix}help lists all.`) : undefined
}

/** May the user call the command with these words, or one of their group? */
const isForUser = (router: Router, words: string, permission: Permission): boolean => {
  const command = router.find(words)
  return [...(command === undefined ? [] : [command]), ...router.group(words)].some(each => mayCall(each, permission))
}

const isListed = (command: Command) => command.definition.hidden !== true

/** How the commands are called, sorted. */
export const usages = (router: Router): readonly string[] =>
  router.commands
    .filter(isListed)
    .map(command => `${router.prefix}${usageOf(command)}`)
    .sort()

/** Undefined where these words have no command that the user may call. */
const listGroup = (router: Router, words: string, prefix: string, permission: Permission): string | undefined => {
  const group = router.group(words)
  const isEmpty = !group.some(command => isListed(command) && mayCall(command, permission))
  return isEmpty ? undefined : list(`Commands of ${prefix}${words}:`, group, prefix, permission)
}

const list = (title: string, commands: readonly Command[], prefix: string, permission: Permission): string => {
  const shown = commands.filter(command => isListed(command) && mayCall(command, permission))
  const lines = shown
    .map(command => line(`${prefix}${usageOf(command)}`, command.definition.description))
    .sort()
    .slice(0, mostListed)
  const more = shown.length - lines.length
  return [title, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n")
}

const describeCommand = (prefix: string, command: Command): string => {
  const {description, aliases = [], options = {}, examples = []} = command.definition
  return [
    line(`${prefix}${usageOf(command)}`, description),
    ...(aliases.length === 0 ? [] : [`also: ${aliases.join(", ")}`]),
    ...Object.entries(options).map(([name, option]) =>
      line(`  --${name}${option.short === undefined ? "" : `, -${option.short}`}`, option.description),
    ),
    ...examples.map(example => `  ${example}`),
  ].join("\n")
}

const line = (left: string, right: string | undefined) => (right === undefined ? left : `${left}: ${right}`)
