import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {CommandSummary, Feature, Sender} from "../../shared/sdk/adapter/sender.ts"
import {textIn} from "../../shared/sdk/text/texts.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Command} from "./command/command.ts"
import {hasFilter} from "./filters.ts"

/** How long a platform may take to accept the list, in milliseconds. */
const limit = 30_000

/** The parts of an endpoint that its list of commands needs. */
export interface CommandListed {
  readonly spec: {readonly name: string; readonly features: readonly Feature[]; readonly log: Log}
  readonly sender: Sender | undefined
}

/** Returns the commands that anybody may call anywhere, without those that `help` hides. */
export const summariesOf = (commands: readonly Command[], language = "en"): readonly CommandSummary[] =>
  commands
    .filter(
      ({definition}) => definition.hidden !== true && definition.permission === undefined && !hasFilter(definition),
    )
    .map(({path, definition}) => ({
      name: path.join(" "),
      description: textIn(definition.description, language) ?? path.join(" "),
    }))

/**
 * Returns a function that sends the list of the bot's commands to a platform that shows one: once to each connection, and
 * again when the list changes. It logs a failure; the next connection or generation retries. Call it when an endpoint is
 * online, or when another generation runs. The list is in one language: `language` returns the project's default.
 */
export const createAnnounce = (commands: () => readonly Command[], language: () => string = () => "en") => {
  /** The list that each connection received last. */
  const told = new WeakMap<Sender, string>()
  return ({spec: {name, features, log}, sender}: CommandListed): void => {
    if (sender?.commands === undefined || !features.includes("commands")) return
    const summaries = summariesOf(commands(), language())
    const text = toJson(summaries)
    if (told.get(sender) === text) return
    told.set(sender, text)
    const {commands: send} = sender
    withTimeLimit(limit, signal => send(summaries, signal)).catch(error => {
      if (told.get(sender) === text) told.delete(sender)
      log.warn(`${name} did not accept the list of commands: ${messageOf(error)}`, {error})
    })
  }
}
