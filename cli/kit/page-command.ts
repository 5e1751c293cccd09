import {Option} from "clipanion"
import type {Page} from "../../shared/api/paging.ts"
import {connectHost} from "./host-client.ts"
import {DataCommand} from "./svc-command.ts"

/** Commands that show one page of a list of the running Host, newest first. */
export abstract class PageCommand extends DataCommand {
  limit = Option.String("--limit", "20", {description: "How many"})
  cursor = Option.String("--cursor", {description: "Older than this: `next` of an earlier list"})

  /** The page at an API path; a filter that is left out does not filter. */
  async page<T>(path: string, filter: Readonly<Record<string, string | undefined>> = {}): Promise<Page<T>> {
    const host = await connectHost(this.folder)
    const query = new URLSearchParams({limit: this.limit})
    for (const [name, value] of Object.entries({...filter, cursor: this.cursor})) {
      if (value !== undefined) query.set(name, value)
    }
    return host.get<Page<T>>(`${path}?${query}`)
  }
}
