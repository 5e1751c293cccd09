import {Option} from "clipanion"
import type {Page} from "../../../shared/api/paging.ts"
import {PageCommand} from "../page-command.ts"

/** A page of a search, which says how far it has looked. */
type Searched<T> = Page<T> & {readonly lookedTo: string | null}

/** Commands that look for messages of the running Host, newest first. */
export abstract class SearchCommand extends PageCommand {
  endpoint = Option.String("--endpoint", {description: "Only of this endpoint"})
  channel = Option.String("--channel", {description: "Only of this channel, by its id"})
  user = Option.String("--user", {description: "Only of this user"})
  plugin = Option.String("--plugin", {description: "Only what a handler of this plugin had to do with"})
  text = Option.String("--text", {description: "Only with this text"})
  from = Option.String("--from", {description: "Only since this time, such as 2026-01-31T12:00:00Z"})
  to = Option.String("--to", {description: "Only before this time"})

  async search<T>(path: string, state: string | undefined): Promise<Searched<T>> {
    const {endpoint, channel, user, plugin, text, from, to} = this
    return (await this.page<T>(path, {state, endpoint, channel, user, plugin, text, from, to})) as Searched<T>
  }

  /** The line below a page that the search did not fill. */
  furtherOf({items, next, lookedTo}: Searched<unknown>): string {
    return next === null || items.length >= Number(this.limit)
      ? ""
      : `\nlooked back to ${lookedTo}; further back: --cursor ${next}`
  }
}
