import {includesPermission, type Permission} from "../../shared/sdk/permission.ts"
import type {Command} from "./command.ts"
import {parsePattern, usageOf} from "./command.ts"
import type {Routed, Router} from "./router.ts"

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
  if (words === undefined) return listCommands(router, prefix, permission)
  const command = router.find(words)
  return command === undefined || !mayCall(command, permission)
    ? `There is no command "${words}". ${prefix}help lists all.`
    : describeCommand(prefix, command)
}

const mayCall = ({definition}: Command, permission: Permission) =>
  definition.permission === undefined || includesPermission(permission, definition.permission)

/** The answer to a call that does not fit the command; `prefix` is how the bot was called. */
export const misuseText = (router: Router, command: Command, why: string, prefix = router.prefix): string =>
  `${why}. Usage: ${prefix}${usageOf(command)}`

/**
 * The answer to a command that does not exist; nothing where it may have been meant for somebody else. What the user may
 * not call is not suggested.
 */
export const unknownText = (
  router: Router,
  routed: Extract<Routed, {is: "unknown"}>,
  prefix = router.prefix,
  permission: Permission = "admin",
): string | undefined => {
  const meant = routed.meant === undefined ? undefined : router.find(routed.meant)
  if (routed.meant !== undefined && (meant === undefined || mayCall(meant, permission))) {
    return `There is no command "${routed.word}". Did you mean ${prefix}${routed.meant}?`
  }
  return routed.direct ? `There is no command "${routed.word}". ${prefix}help lists all.` : undefined
}

const shownIn = (router: Router) => router.commands.filter(command => command.definition.hidden !== true)

/** How the commands are called, sorted. */
export const usages = (router: Router): readonly string[] =>
  shownIn(router)
    .map(command => `${router.prefix}${usageOf(command)}`)
    .sort()

const listCommands = (router: Router, prefix: string, permission: Permission): string => {
  const shown = shownIn(router).filter(command => mayCall(command, permission))
  const lines = shown
    .map(command => line(`${prefix}${usageOf(command)}`, command.definition.description))
    .sort()
    .slice(0, mostListed)
  const more = shown.length - lines.length
  return ["Commands:", ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n")
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
