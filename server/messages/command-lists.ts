import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {CommandSummary, Feature, Sender} from "../../shared/sdk/adapter/sender.ts"
import {textIn} from "../../shared/sdk/text/texts.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Command} from "./command/command.ts"

/** A platform has so long to take the list, in milliseconds. */
const limit = 30_000

/** An endpoint as its list of commands needs it. */
export interface CommandListed {
  readonly spec: {readonly name: string; readonly features: readonly Feature[]; readonly log: Log}
  readonly sender: Sender | undefined
}

/** What anybody may call, without what `help` does not show. */
export const summariesOf = (commands: readonly Command[], language = "en"): readonly CommandSummary[] =>
  commands
    .filter(({definition}) => definition.hidden !== true && definition.permission === undefined)
    .map(({path, definition}) => ({
      name: path.join(" "),
      description: textIn(definition.description, language) ?? path.join(" "),
    }))

/**
 * Tells platforms that list the bot's commands which ones there are: each connection once, and again when they have changed. A
 * failure is logged; the next connection or generation tries again.
 */
export class CommandLists {
  readonly #commands: () => readonly Command[]
  readonly #language: () => string
  /** What each connection was told last. */
  readonly #told = new WeakMap<Sender, string>()

  /** The list is in one language: `language` is the project's default. */
  constructor(commands: () => readonly Command[], language: () => string = () => "en") {
    this.#commands = commands
    this.#language = language
  }

  /** The endpoint is online, or another generation runs. */
  announce({spec: {name, features, log}, sender}: CommandListed): void {
    if (sender?.commands === undefined || !features.includes("commands")) return
    const summaries = summariesOf(this.#commands(), this.#language())
    const text = toJson(summaries)
    if (this.#told.get(sender) === text) return
    this.#told.set(sender, text)
    const {commands} = sender
    withTimeLimit(limit, signal => commands(summaries, signal)).catch(error => {
      if (this.#told.get(sender) === text) this.#told.delete(sender)
      log.warn(`${name} did not accept the list of commands: ${messageOf(error)}`, {error})
    })
  }
}
