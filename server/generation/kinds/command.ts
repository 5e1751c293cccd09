import {capabilityId} from "../../../shared/ids.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import {textIn} from "../../../shared/sdk/text/texts.ts"
import {keyOf} from "../../../shared/sdk/text/typed.ts"
import {parsePattern} from "../../messages/arguments/pattern.ts"
import {checkCallRules} from "../../messages/call-command.ts"
import type {Command} from "../../messages/command/command.ts"
import type {Handler} from "../../messages/session/handler.ts"
import {readArguments, requireFilter, requireHandling} from "./checks.ts"
import {declarationsOf, describe, type Publishing, type Setup} from "./kind.ts"

/** A declared command, before its pattern is parsed. */
type Declared = Pick<Command, "definition" | "handle"> & {readonly pattern: string}

interface PublishedCommand {
  readonly command: Command
  readonly runner: Handler
}

export const commands = (setup: Setup) => {
  const declared: Declared[] = []
  const command: Plugin["command"] = (pattern: string, second: unknown, third?: unknown) => {
    const what = setup.begin("command", pattern)
    const read = readArguments<Declared["definition"], Declared["handle"]>("command", what, second, third)
    requireHandling(what, read.definition)
    requireFilter(what, read.definition)
    declared.push({pattern, ...read})
  }
  return declarationsOf({
    methods: {command},
    declared,
    publish: at => {
      const items = declared.flatMap(each => publish(each, at))
      return {
        items,
        capabilities: items.map(({command: {path, definition}}) => ({
          kind: "command",
          name: path.join("."),
          description: describe(textIn(definition.description, at.language), definition),
        })),
        claims: items.flatMap(({command: {path, aliases}}) =>
          [path, ...aliases].map(words => `the command "${words.map(keyOf).join(" ")}"`),
        ),
      }
    },
  })
}

const publish = ({pattern, definition, handle}: Declared, at: Publishing): readonly PublishedCommand[] => {
  try {
    const parsed = parsePattern(pattern)
    const wrong = checkCallRules(definition)
    if (wrong !== undefined) throw new Error(`"${pattern}": ${wrong}`)
    const {path: owner} = at.owner
    const id = capabilityId(owner, "command", parsed.path.join("."))
    const aliases = (definition.aliases ?? []).map(alias => parsePattern(alias).path)
    return [{command: {...parsed, id, owner, aliases, definition, handle}, runner: at.handler(id, definition)}]
  } catch (error) {
    at.report(`command ${messageOf(error)}`)
    return []
  }
}
