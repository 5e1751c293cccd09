import {type CommandClass, Option, type Usage} from "clipanion"
import {changePages, findPages} from "../../../shared/api/message-lists.ts"
import type {Path} from "../../../shared/api/operations/client.ts"
import {Problem} from "../../../shared/problems.ts"
import {connectHost} from "../host-client.ts"
import {counted, shorten} from "../print.ts"
import {rowCommand, searchFilters, tableOf} from "../rows.ts"
import type {DataCommand} from "../svc-command.ts"

type Action = "release" | "discard" | "cancel" | "hold"

const {endpoint, channel, user, plugin, older} = searchFilters
const places = {endpoint, channel, user, plugin, older}
const state = Option.String("--state", {description: "Only rows in this state, such as pending or queued"})

/** The operations of a list, the name of a row's id, its held rows, the command that lists, what counts, the filters. */
interface List<A extends Action> {
  change(given: DataCommand, action: A, id: string, handler?: string): Promise<Readonly<Record<string, number>>>
  readonly bulk: Extract<Path<"POST">, `${string}/bulk`>
  readonly id: string
  readonly row: string
  readonly held: string
  readonly shownBy: string
  readonly counts: readonly string[]
  readonly options?: Chosen
  readonly filters: object
}

export const handler = Option.String("--handler", {description: "Only this handler, by its name in svc inbox show"})

export const inbox: List<"release" | "discard" | "hold"> = {
  change: (given, action, seq, handler) => given.post(`/api/inbox/:seq/${action}`, {seq, body: {handler}}),
  bulk: "/api/inbox/bulk",
  id: "seq",
  row: "an event",
  held: "events",
  shownBy: "svc inbox list",
  counts: ["handler", "event"],
  options: {handler},
  filters: {...searchFilters, state},
}

export const outbox: List<"release" | "discard" | "hold"> = {
  change: (given, action, id) => given.post(`/api/outbox/:id/${action}`, {id}),
  bulk: "/api/outbox/bulk",
  id: "id",
  row: "a message",
  held: "or unknown messages",
  shownBy: "svc outbox list",
  counts: ["message"],
  filters: {...searchFilters, state},
}

export const timers: List<"release" | "cancel" | "hold"> = {
  change: (given, action, id) => given.post(`/api/timers/:id/${action}`, {id}),
  bulk: "/api/timers/bulk",
  id: "id",
  row: "a timer",
  held: "timers",
  shownBy: "svc timer list",
  counts: ["timer"],
  filters: places,
}

export const runs: List<"release" | "discard" | "hold"> = {
  change: (given, action, id) => given.post(`/api/runs/:id/${action}`, {id}),
  bulk: "/api/runs/bulk",
  id: "run",
  row: "a run",
  held: "runs of agents",
  shownBy: "svc agent runs --state held",
  counts: ["run"],
  filters: {...places, agent: Option.String("--agent", {description: "Only runs of this agent"})},
}

/** Which rows a command is about. */
interface Chosen {
  readonly named?: string | undefined
  readonly held?: boolean
  readonly handler?: string | undefined
  readonly dryRun?: boolean
}

/** Makes the command that decides about one row of a list, about all held ones, or about those that filters find. */
export const decision = <A extends Action>(list: List<A>, action: NoInfer<A>, usage: Usage): CommandClass => {
  const {id, held, filters} = list
  const options: Chosen = {
    named: Option.String({name: id, required: false}),
    ...(action !== "hold" && {
      held: Option.Boolean("--held", false, {description: `All held ${held}`}),
      ...list.options,
    }),
    ...(action !== "release" && {
      ...filters,
      dryRun: Option.Boolean("--dry-run", false, {description: "Only count and show what would change"}),
    }),
  }
  const run = async (given: DataCommand & Chosen) => {
    const found = Object.keys(filters).flatMap(key => {
      const value: unknown = action === "release" ? undefined : Reflect.get(given, key)
      return value === undefined ? [] : [[key, String(value)]]
    })
    if (found.length === 0 && given.dryRun !== true) return decide(given, list, action, given)
    if (found.length === 0 || given.named !== undefined || given.held === true) {
      throw new Problem("request_invalid", "filters such as --older, and --dry-run, are for many rows", {
        hint: `Name at least one filter, and neither ${id} nor --held.`,
      })
    }
    return decideFound(given, list, action, {query: Object.fromEntries(found), dryRun: given.dryRun === true})
  }
  return rowCommand({...usage, options, run})
}

/** Acts on one row, or on all held ones. Throws `request_invalid` unless one of `named` and `--held` is given. */
const decide = async <A extends Action>(
  given: DataCommand,
  {change, row, shownBy, counts}: List<A>,
  action: NoInfer<A>,
  {named, held = false, handler}: Chosen,
): Promise<void> => {
  const [, noun] = row.split(" ")
  if (held === (named !== undefined)) {
    const detail = held ? `name either ${named} or --held, not both` : `which ${noun}?`
    const all = action === "hold" ? ", or filters such as --older 10m" : `, or use --held for all held ${noun}s`
    throw new Problem("request_invalid", detail, {hint: `Name ${row} that ${shownBy} shows${all}.`})
  }
  const changed = await change(given, action, named ?? "held", held ? undefined : handler)
  given.show(changed, () => `${action}: ${counts.map(each => counted(changed[`${each}s`] ?? 0, each)).join(" of ")}`)
}

/** Acts on all rows that the filters find: it counts them, newest first, and changes them a page at a time, oldest first. */
const decideFound = async (
  given: DataCommand,
  {bulk, counts}: List<Action>,
  action: Action,
  {query, dryRun}: {readonly query: Readonly<Record<string, string>>; readonly dryRun: boolean},
): Promise<void> => {
  const host = await connectHost(given.folder)
  const body = {action: action === "cancel" ? "discard" : action} as const
  const ask = (cursor: string | null, dryRun: boolean) =>
    host.post(bulk, {...query, limit: 100, cursor: cursor ?? undefined, body: {...body, dryRun}})
  const pages = await findPages(ask)
  let count = dryRun ? pages.reduce((sum, {found}) => sum + found.count, 0) : 0
  if (!dryRun) for await (const changed of changePages(ask, pages)) count += changed
  const oldest = pages.flatMap(({found}) => found.oldest ?? []).sort()[0] ?? null
  const sample = pages
    .toReversed()
    .flatMap(({found}) => found.sample)
    .slice(-5)
  const said = `${dryRun ? "dry run: " : ""}${action}: ${counted(count, counts.at(-1) ?? "row")}`
  given.show({count, dryRun, oldest, sample: dryRun ? sample : []}, () =>
    dryRun && count > 0
      ? `${said}, the oldest from ${oldest}\n${tableOf({id: ({id}) => id, when: ({at}) => at, who: ({who}) => who, text: ({text}) => shorten(text, 60)}, sample)}`
      : said,
  )
}
