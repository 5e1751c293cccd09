import {type CommandClass, Option, type Usage} from "clipanion"
import type {Page} from "../../shared/api/pages.ts"
import type {ExitCode} from "../../shared/exit.ts"
import {table} from "./print.ts"
import {DataCommand} from "./svc-command.ts"

/** Makes a command of its help, its options and its work. */
export const command = <O extends object>(
  usage: Usage,
  options: O | undefined,
  work: (command: DataCommand & O) => Promise<ExitCode> | Promise<void>,
): CommandClass =>
  class extends DataCommand {
    static override usage = usage
    run: () => Promise<ExitCode> | Promise<void>

    constructor() {
      super()
      const withOptions = Object.assign(this, options)
      this.run = () => work(withOptions)
    }
  }

/** A command that no other resembles: its help, its options and its work. */
interface Row<O extends object> extends Usage {
  readonly options?: O
  readonly run: (command: DataCommand & O) => Promise<ExitCode> | Promise<void>
}

export const rowCommand = <O extends object>({options, run, ...usage}: Row<O>): CommandClass =>
  command(usage, options, run)

/** The cells of one column, by its heading. Null is an empty cell. */
export type Columns<T> = Readonly<Record<string, (row: T) => string | number | null | undefined>>

export const tableOf = <T>(columns: Columns<T>, rows: readonly T[]): string =>
  table(
    Object.keys(columns),
    rows.map(row => Object.values(columns).map(cell => String(cell(row) ?? ""))),
  )

/** Makes a command that shows a whole list of the running Host, of at most 500 rows. */
export const wholeListCommand = <T>({path, columns, ...usage}: Pick<List<T>, keyof Usage | "path" | "columns">) =>
  command(usage, {}, async list => {
    const {items} = await list.get<{items: readonly T[]}>(`${path}?limit=500`)
    list.show(items, () => tableOf(columns, items))
  })

/** A page of a list. A search also has the time back to which it has searched. */
type Listed<T> = Page<T> & {readonly lookedTo?: string | null}

interface List<T> extends Usage {
  readonly path: string
  /** What every call filters by. */
  readonly always?: Readonly<Record<string, string>>
  /** The filters, by the names of the API. */
  readonly filters?: Readonly<Record<string, string | boolean | undefined>>
  readonly columns: Columns<T>
}

/** Makes a command that shows one page of a list of the running Host, newest first. */
export const listCommand = <T>({path, always, filters = {}, columns, ...usage}: List<T>): CommandClass => {
  const options = {
    limit: Option.String("--limit", "20", {description: "How many to list"}),
    cursor: Option.String("--cursor", {description: "Only older rows: the `next` of an earlier list"}),
    ...filters,
  }
  return command(usage, options, async list => {
    const query = new URLSearchParams(always)
    for (const name of Object.keys(options) as (keyof typeof options)[]) {
      if (list[name] !== undefined) query.set(name, String(list[name]))
    }
    const page = await list.get<Listed<T>>(`${path}?${query}`)
    list.show(page, () => `${tableOf(columns, page.items)}${furtherOf(page, Number(list.limit))}`)
  })
}

/** Returns the line below a page that the search did not fill. */
const furtherOf = ({items, next, lookedTo}: Listed<unknown>, limit: number): string =>
  lookedTo === undefined || next === null || items.length >= limit
    ? ""
    : `\nsearched back to ${lookedTo}; to search further: --cursor ${next}`

/** The filters of a search in the messages. */
export const searchFilters = {
  endpoint: Option.String("--endpoint", {description: "Only rows of this endpoint"}),
  channel: Option.String("--channel", {description: "Only rows of this channel, by its id"}),
  user: Option.String("--user", {description: "Only rows of this user"}),
  plugin: Option.String("--plugin", {description: "Only rows of a handler of this plugin"}),
  command: Option.String("--command", {description: "Only rows of this command"}),
  older: Option.String("--older", {description: "Only rows of at least this age, such as 10m"}),
  text: Option.String("--text", {description: "Only rows with this text"}),
  from: Option.String("--from", {description: "Only rows since this time, such as 2026-01-31T12:00:00Z"}),
  to: Option.String("--to", {description: "Only rows before this time"}),
}
