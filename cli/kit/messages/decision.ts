import {type CommandClass, Option, type Usage} from "clipanion"
import {changePages, findPages} from "../../../shared/api/message-lists.ts"
import type {BulkChanged} from "../../../shared/api/messages.ts"
import {Problem} from "../../../shared/problems.ts"
import {connectHost} from "../host-client.ts"
import {counted, shorten} from "../print.ts"
import {command, searchFilters, tableOf} from "../rows.ts"
import type {DataCommand} from "../svc-command.ts"

type Action = "retry" | "release" | "discard" | "cancel" | "hold"

const {endpoint, channel, user, plugin, older} = searchFilters
const places = {endpoint, channel, user, plugin, older}
const state = Option.String("--state", {description: "Only rows in this state, such as pending or queued"})

/** By the list's name in the API's paths: one row, the held ones, the command that lists, what counts, the filters. */
const lists = {
  inbox: {
    row: "an event",
    held: "events",
    shownBy: "svc inbox list",
    counts: ["handler", "event"],
    filters: {...searchFilters, state},
  },
  outbox: {
    row: "a message",
    held: "or unknown messages",
    shownBy: "svc outbox list",
    counts: ["message"],
    filters: {...searchFilters, state},
  },
  timers: {row: "a timer", held: "timers", shownBy: "svc timer list", counts: ["timer"], filters: places},
  runs: {
    row: "a run",
    held: "runs of agents",
    shownBy: "svc agent runs --state held",
    counts: ["run"],
    filters: {...places, agent: Option.String("--agent", {description: "Only runs of this agent"})},
  },
} as const

type List = keyof typeof lists

/** Which rows a command is about. */
interface Chosen {
  readonly named?: string | undefined
  readonly held?: boolean
  readonly handler?: string | undefined
  readonly dryRun?: boolean
}

export const handler = Option.String("--handler", {description: "Only this handler, by its name in svc inbox show"})

/** Makes the command that decides about one row of a list, about all held ones, or about those that filters find. */
export const decision = (list: List, action: Action, usage: Usage): CommandClass => {
  const {held, filters} = lists[list]
  const name = {inbox: "seq", outbox: "id", timers: "id", runs: "run"}[list]
  const options: Chosen = {
    named: Option.String({name, required: false}),
    ...(action === "hold" ? {} : {held: Option.Boolean("--held", false, {description: `All held ${held}`})}),
    ...(list === "inbox" && action !== "hold" ? {handler} : {}),
    ...(action === "release"
      ? {}
      : {
          ...filters,
          dryRun: Option.Boolean("--dry-run", false, {description: "Only count and show what would change"}),
        }),
  }
  return command(usage, options, async given => {
    const found = Object.keys(filters).flatMap(key => {
      const value: unknown = action === "release" ? undefined : Reflect.get(given, key)
      return value === undefined ? [] : [[key, String(value)]]
    })
    if (found.length === 0 && given.dryRun !== true) return decide(given, list, action, given)
    if (found.length === 0 || given.named !== undefined || given.held === true) {
      throw new Problem("request_invalid", "filters such as --older, and --dry-run, are for many rows", {
        hint: `Name at least one filter, and neither ${name} nor --held.`,
      })
    }
    return decideFound(given, list, action, {query: Object.fromEntries(found), dryRun: given.dryRun === true})
  })
}

/** Acts on one row, or on all held ones. Throws `request_invalid` unless one of `named` and `--held` is given. */
export const decide = async (
  given: DataCommand,
  list: List,
  action: Action,
  {named, held = false, handler}: Chosen,
): Promise<void> => {
  const {row, shownBy, counts} = lists[list]
  const [, noun] = row.split(" ")
  if (held === (named !== undefined)) {
    const detail = held ? `name either ${named} or --held, not both` : `which ${noun}?`
    const all =
      {retry: "", hold: ", or filters such as --older 10m"}[String(action)] ?? `, or use --held for all held ${noun}s`
    throw new Problem("request_invalid", detail, {hint: `Name ${row} that ${shownBy} shows${all}.`})
  }
  const which = named === undefined ? "held" : encodeURIComponent(named)
  const body = list === "inbox" ? {handler: held ? undefined : handler} : undefined
  const changed = await given.post<Readonly<Record<string, number>>>(`/api/${list}/${which}/${action}`, body)
  given.show(changed, () => `${action}: ${counts.map(each => counted(changed[`${each}s`] ?? 0, each)).join(" of ")}`)
}

/** Acts on all rows that the filters find: it counts them, newest first, and changes them a page at a time, oldest first. */
const decideFound = async (
  given: DataCommand,
  list: List,
  action: Action,
  {query, dryRun}: {readonly query: Readonly<Record<string, string>>; readonly dryRun: boolean},
): Promise<void> => {
  const host = await connectHost(given.folder)
  const ask = (cursor: string | null, dryRun: boolean) => {
    const asked = new URLSearchParams({...query, limit: "100", ...(cursor === null ? {} : {cursor})})
    return host.post<BulkChanged>(`/api/${list}/bulk?${asked}`, {
      action: action === "cancel" ? "discard" : action,
      dryRun,
    })
  }
  const pages = await findPages(ask)
  let count = dryRun ? pages.reduce((sum, {found}) => sum + found.count, 0) : 0
  if (!dryRun) for await (const changed of changePages(ask, pages)) count += changed
  const oldest = pages.flatMap(({found}) => found.oldest ?? []).sort()[0] ?? null
  const sample = pages
    .toReversed()
    .flatMap(({found}) => found.sample)
    .slice(-5)
  const said = `${dryRun ? "dry run: " : ""}${action}: ${counted(count, lists[list].counts.at(-1) ?? "row")}`
  given.show({count, dryRun, oldest, sample: dryRun ? sample : []}, () =>
    dryRun && count > 0
      ? `${said}, the oldest from ${oldest}\n${tableOf({id: ({id}) => id, when: ({at}) => at, who: ({who}) => who, text: ({text}) => shorten(text, 60)}, sample)}`
      : said,
  )
}
