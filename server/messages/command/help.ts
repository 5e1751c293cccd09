import type {Permission} from "../../../shared/sdk/session/permission.ts"
import {textIn} from "../../../shared/sdk/text/texts.ts"
import {parsePattern} from "../arguments/pattern.ts"
import {shownWord} from "../arguments/value.ts"
import {HostTexts, inEnglish, type Say} from "../texts/host-texts.ts"
import {type Command, usageOf} from "./command.ts"
import {mayUse} from "./permissions.ts"
import type {Routed, Router, RouterOf} from "./router.ts"
import {Words} from "./words.ts"

/** The most commands that one help message lists. */
const mostListed = 40

/** The Host's own command: `help`, and `help <command>`. A plugin's `help` replaces it. */
export const helpCommand = (routerOf: RouterOf, texts = new HostTexts()): Command => ({
  id: "host/help",
  owner: "host",
  ...parsePattern("help [command:text]"),
  aliases: [],
  definition: {description: texts.of("help.description")},
  handle: ({args, session: {text, event, endpoint, permission, language}}) => {
    const router = routerOf(event, endpoint)
    const prefix = router.manner(text, event)
    const asked = {prefix, permission, say: texts.in(language), language}
    return helpText(router, asked, args.command === undefined ? undefined : String(args.command))
  },
})

const helpText = (router: Router, asked: Required<Asked>, words: string | undefined): string => {
  const {prefix, permission, say} = asked
  if (words === undefined) return list(say("help.commands"), router.commands, asked)
  const command = router.find(words)
  const group = listGroup(router, words, asked)
  if (command !== undefined && mayCall(command, permission))
    return [describeCommand(command, asked), ...(group === undefined ? [] : [group])].join("\n")
  return group ?? noCommand(say, shownWord(words), listsAll(say, prefix))
}

const mayCall = ({definition}: Command, permission: Permission) => mayUse(permission, definition.permission)

/**
 * Returns the reply to a call that does not fit the command; `prefix` is how the user called the bot. If longer
 * commands start with this one's words, the reply suggests one that resembles `rest`, or lists them.
 */
export const misuseText = (
  router: Router,
  command: Command,
  why: string,
  {rest = "", ...given}: Asked & {readonly rest?: string} = {},
): string => {
  const asked = askedOf(router, given)
  const {prefix, permission, say} = asked
  const words = command.path.join(" ")
  const {text: word = ""} = new Words(rest).take() ?? {}
  const meant = word === "" ? undefined : router.meantAfter(words, word)
  if (meant !== undefined && isForUser(router, `${words} ${meant}`, permission))
    return noCommand(say, `${words} ${shownWord(word)}`, say("help.meant", {call: `${prefix}${words} ${meant}`}))
  const group = listGroup(router, words, asked)
  const misuse = say("help.misuse", {why, usage: `${prefix}${usageOf(command)}`})
  return group === undefined ? misuse : `${misuse}\n${group}`
}

/** How the user called the bot, with which permission, and the language of the reply. */
interface Asked {
  readonly prefix?: string
  readonly permission?: Permission
  readonly say?: Say
  readonly language?: string
}

const askedOf = (router: Router, asked: Asked): Required<Asked> => ({
  prefix: router.prefix,
  permission: "admin",
  say: inEnglish,
  language: "en",
  ...asked,
})

const noCommand = (say: Say, words: string, hint: string) => say("help.unknown", {words, hint})

const listsAll = (say: Say, prefix: string) => say("help.all", {call: `${prefix}help`})

/**
 * Returns the reply to an unknown command; undefined if the message may have been for somebody else. Commands that the
 * user may not call are not suggested. For a group of commands, the reply lists them.
 */
export const unknownText = (
  router: Router,
  {word, meant, group, direct}: Extract<Routed, {is: "unknown"}>,
  given: Asked = {},
): string | undefined => {
  const asked = askedOf(router, given)
  const {prefix, permission, say} = asked
  // Telegram's button for a first message says this word.
  if (direct && word === "start") return list(say("help.commands"), router.commands, asked)
  if (meant !== undefined && isForUser(router, meant, permission))
    return noCommand(say, word, say("help.meant", {call: `${prefix}${meant}`}))
  const found = group === "" ? undefined : listGroup(router, group, asked)
  if (found !== undefined) return word === group ? found : noCommand(say, word, found)
  return direct ? noCommand(say, word, listsAll(say, prefix)) : undefined
}

/** Returns whether the user may call the command with these words, or one of their group. */
const isForUser = (router: Router, words: string, permission: Permission): boolean => {
  const command = router.find(words)
  return [...(command === undefined ? [] : [command]), ...router.group(words)].some(each => mayCall(each, permission))
}

const isListed = (command: Command) => command.definition.hidden !== true

/** Returns the usages of the commands, sorted. */
export const usages = (router: Router): readonly string[] =>
  router.commands
    .filter(isListed)
    .map(command => `${router.prefix}${usageOf(command)}`)
    .sort()

/** Undefined if these words have no command that the user may call. */
const listGroup = (router: Router, words: string, asked: Required<Asked>): string | undefined => {
  const {prefix, permission, say} = asked
  const group = router.group(words)
  const isEmpty = !group.some(command => isListed(command) && mayCall(command, permission))
  return isEmpty ? undefined : list(say("help.group", {call: `${prefix}${words}`}), group, asked)
}

const list = (
  title: string,
  commands: readonly Command[],
  {prefix, permission, say, language}: Required<Asked>,
): string => {
  const shown = commands.filter(command => isListed(command) && mayCall(command, permission))
  const lines = shown
    .map(command => line(`${prefix}${usageOf(command)}`, textIn(command.definition.description, language)))
    .sort()
    .slice(0, mostListed)
  const more = shown.length - lines.length
  return [title, ...lines, ...(more > 0 ? [say("help.more", {count: more})] : [])].join("\n")
}

const describeCommand = (command: Command, {prefix, say, language}: Required<Asked>): string => {
  const {description, aliases = [], options = {}, examples = []} = command.definition
  return [
    line(`${prefix}${usageOf(command)}`, textIn(description, language)),
    ...(aliases.length === 0 ? [] : [say("help.aliases", {aliases: aliases.join(", ")})]),
    ...Object.entries(options).map(([name, option]) =>
      line(
        `  --${name}${option.short === undefined ? "" : `, -${option.short}`}`,
        textIn(option.description, language),
      ),
    ),
    ...examples.map(example => `  ${example}`),
  ].join("\n")
}

const line = (left: string, right: string | undefined) => (right === undefined ? left : `${left}: ${right}`)
