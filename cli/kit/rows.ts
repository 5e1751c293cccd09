import {type CommandClass, Option, type Usage} from "clipanion"
import {type Answer, type At, addressOf, type Path} from "../../shared/api/operations/client.ts"
import type {AnswerOf, BodyOf, Operation, QueryOf} from "../../shared/api/operations/operation.ts"
import type {Page} from "../../shared/api/pages.ts"
import type {ParamsOf} from "../../shared/route.ts"
import {connectHost} from "./host-client.ts"
import {table} from "./print.ts"
import {DataCommand} from "./svc-command.ts"

interface Work<O extends object> extends Usage {
  readonly options?: O | undefined
  readonly run: (command: DataCommand & O) => Promise<boolean> | Promise<void>
}

export const rowCommand = <O extends object>({options, run, ...usage}: Work<O>): CommandClass =>
  class extends DataCommand {
    static override usage = usage
    readonly #given = Object.assign(this, options)
    run = () => run(this.#given)
  }

/** The cells of one column, by its heading. Null is an empty cell. */
export type Columns<T> = Readonly<Record<string, (row: T) => string | number | null | undefined>>

export const tableOf = <T>(columns: Columns<T>, rows: readonly T[]): string =>
  table(
    Object.keys(columns),
    rows.map(row => Object.values(columns).map(cell => String(cell(row) ?? ""))),
  )

type Method = "GET" | "POST"

/** Options by their names in the operation's path, query or body. Each call sends a value that is no option. */
type OptionsOf<O extends Operation> = {
  readonly [K in ParamsOf<O["path"]> | keyof QueryOf<O> | keyof BodyOf<O>]?: unknown
}

/** A command that only calls an operation and prints its answer. */
interface Call<T, O> extends Usage {
  readonly path: string
  readonly options?: O
  readonly describe: (answer: T, given: O) => string
  /** Returns what `--json` prints (default: the answer). */
  readonly data?: (answer: T) => unknown
  /** Returns whether the command exits with 0 (default: yes). */
  readonly isOk?: (answer: T) => boolean
}

const calling = <T, O extends object>(
  method: Method,
  {path, options, describe, data = answer => answer, isOk = () => true, ...usage}: Call<T, O>,
): CommandClass =>
  rowCommand({
    ...usage,
    options,
    run: async given => {
      const values = Object.keys(options ?? {}).map(name => [name, Reflect.get(given, name)] as const)
      const inBody = values.filter(([name]) => method === "POST" && !path.split("/").includes(`:${name}`))
      const address = addressOf(path, Object.fromEntries(values.filter(each => !inBody.includes(each))))
      const body = inBody.length === 0 ? undefined : Object.fromEntries(inBody)
      const answer = await (await connectHost(given.folder)).send<T>(method, address, body)
      given.show(data(answer), () => describe(answer, given))
      return isOk(answer)
    },
  })

type Row<M extends Method, P extends Path<M>, O extends Operation = At<M, P>> = Call<AnswerOf<O>, OptionsOf<O>> & {
  readonly path: P
}

export const getCommand = <P extends Path<"GET">>(row: Row<"GET", P>) => calling("GET", row)
export const postCommand = <P extends Path<"POST">>(row: Row<"POST", P>) => calling("POST", row)

/** A page of a list. A search also has the time back to which it has searched. */
type Listed<T> = Page<T> & {readonly lookedTo?: string | null}

type RowOf<P extends Path<"GET">> = Answer<"GET", P> extends Page<infer T> ? T : never

/** The type of the columns chooses among the kinds of rows of a list. */
interface List<P extends Path<"GET">, T extends RowOf<P>> extends Usage {
  readonly path: Answer<"GET", P> extends Page<unknown> ? P : never
  readonly filters?: Omit<OptionsOf<At<"GET", P>>, "limit" | "cursor">
  readonly columns: Columns<T>
}

/** Makes a command that shows a list of the running Host without its cursor. */
export const wholeListCommand = <P extends Path<"GET">, T extends RowOf<P> = RowOf<P>>({
  limit = "500",
  columns,
  ...row
}: Omit<List<P, T>, "filters"> & {readonly limit?: string}): CommandClass =>
  calling<Page<T>, object>("GET", {
    ...row,
    options: {limit},
    data: ({items}) => items,
    describe: ({items}) => tableOf(columns, items),
  })

/** Makes a command that shows one page of a list of the running Host, newest first. */
export const listCommand = <P extends Path<"GET">, T extends RowOf<P> = RowOf<P>>({
  filters,
  columns,
  ...row
}: List<P, T>): CommandClass => {
  const options = {
    limit: Option.String("--limit", "20", {description: "How many to list (default: 20)"}),
    cursor: Option.String("--cursor", {description: "Only older rows: the `next` of an earlier list"}),
    ...filters,
  }
  const describe = (page: Listed<T>, {limit}: typeof options) =>
    `${tableOf(columns, page.items)}${furtherOf(page, Number(limit))}`
  return calling("GET", {...row, options, describe})
}

/** Returns the line below a page that is not the last one. */
const furtherOf = ({items, next, lookedTo}: Listed<unknown>, limit: number): string => {
  if (next === null) return ""
  return lookedTo === undefined || items.length >= limit
    ? `\nthere are more: --limit, or --cursor ${next}`
    : `\nsearched back to ${lookedTo}; to search further: --cursor ${next}`
}

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
