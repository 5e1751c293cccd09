import {Option} from "clipanion"
import type {Page} from "../../../shared/api/paging.ts"
import {PageCommand} from "../page-command.ts"

/** A page of a search, with the time back to which it has searched. */
type Searched<T> = Page<T> & {readonly lookedTo: string | null}

/** The base of the commands that search the messages of the running Host, newest first. */
export abstract class SearchCommand extends PageCommand {
  endpoint = Option.String("--endpoint", {description: "Only rows of this endpoint"})
  channel = Option.String("--channel", {description: "Only rows of this channel, by its id"})
  user = Option.String("--user", {description: "Only rows of this user"})
  plugin = Option.String("--plugin", {description: "Only rows of a handler of this plugin"})
  text = Option.String("--text", {description: "Only rows with this text"})
  from = Option.String("--from", {description: "Only rows since this time, such as 2026-01-31T12:00:00Z"})
  to = Option.String("--to", {description: "Only rows before this time"})

  async search<T>(path: string, state: string | undefined): Promise<Searched<T>> {
    const {endpoint, channel, user, plugin, text, from, to} = this
    return (await this.page<T>(path, {state, endpoint, channel, user, plugin, text, from, to})) as Searched<T>
  }

  /** Returns the line below a page that the search did not fill. */
  furtherOf({items, next, lookedTo}: Searched<unknown>): string {
    return next === null || items.length >= Number(this.limit)
      ? ""
      : `\nsearched back to ${lookedTo}; to search further: --cursor ${next}`
  }
}
