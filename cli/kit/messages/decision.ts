import {type CommandClass, Option, type Usage} from "clipanion"
import {Problem} from "../../../shared/problems.ts"
import {counted} from "../print.ts"
import {command} from "../rows.ts"
import type {DataCommand} from "../svc-command.ts"

type Decision = "retry" | "release" | "discard" | "cancel"

/** By the list's name in the API's paths: one row, the held ones, the command that shows rows, what a change counts. */
const lists = {
  inbox: {row: "an event", held: "events", shownBy: "svc inbox list", counts: ["handler", "event"]},
  outbox: {row: "a message", held: "or unknown messages", shownBy: "svc outbox list", counts: ["message"]},
  timers: {row: "a timer", held: "timers", shownBy: "svc timer list", counts: ["timer"]},
  runs: {row: "a run", held: "runs of agents", shownBy: "svc agent runs --state held", counts: ["run"]},
} as const

type List = keyof typeof lists

/** The option for all held rows of a list. */
export const heldOption = (list: List) => Option.Boolean("--held", false, {description: `All held ${lists[list].held}`})

/** Makes the command that decides about one row of a list, or about all held ones. */
export const decision = (list: Exclude<List, "inbox">, action: Decision, usage: Usage): CommandClass =>
  command(
    usage,
    {id: Option.String({name: list === "runs" ? "run" : "id", required: false}), held: heldOption(list)},
    given => decide(given, list, action, given.id, given.held),
  )

/** Acts on one row, or on all held ones. Throws `request_invalid` unless one of `named` and `--held` is given. */
export const decide = async (
  given: DataCommand,
  list: List,
  action: Decision,
  named: string | undefined,
  isHeld = false,
  body?: object,
): Promise<void> => {
  const {row, shownBy, counts} = lists[list]
  const [, noun] = row.split(" ")
  if (isHeld === (named !== undefined)) {
    const detail = isHeld ? `name either ${named} or --held, not both` : `which ${noun}?`
    const all = action === "retry" ? "" : `, or use --held for all held ${noun}s`
    throw new Problem("request_invalid", detail, {hint: `Name ${row} that ${shownBy} shows${all}.`})
  }
  const which = named === undefined ? "held" : encodeURIComponent(named)
  const changed = await given.post<Readonly<Record<string, number>>>(`/api/${list}/${which}/${action}`, body)
  given.show(changed, () => `${action}: ${counts.map(each => counted(changed[`${each}s`] ?? 0, each)).join(" of ")}`)
}
