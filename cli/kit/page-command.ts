import {Option} from "clipanion"
import type {Page} from "../../shared/api/paging.ts"
import {DataCommand} from "./svc-command.ts"

/** The base of the commands that show one page of a list of the running Host, newest first. */
export abstract class PageCommand extends DataCommand {
  limit = Option.String("--limit", "20", {description: "How many to list"})
  cursor = Option.String("--cursor", {description: "Only older rows: the `next` of an earlier list"})

  /** Resolves to the page at an API path. Undefined filters have no effect. */
  async page<T>(path: string, filter: Readonly<Record<string, string | undefined>> = {}): Promise<Page<T>> {
    const query = new URLSearchParams({limit: this.limit})
    for (const [name, value] of Object.entries({...filter, cursor: this.cursor})) {
      if (value !== undefined) query.set(name, value)
    }
    return this.get<Page<T>>(`${path}?${query}`)
  }
}
