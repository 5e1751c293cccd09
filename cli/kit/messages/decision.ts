import {Problem} from "../../../shared/problems.ts"
import {counted} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

type Decision = "retry" | "release" | "discard" | "cancel"

/** By the list's name in the paths of the API: one row, the command that shows rows, and what a change counts. */
const lists = {
  inbox: {row: "an event", shownBy: "svc inbox list", counts: ["handler", "event"]},
  outbox: {row: "a message", shownBy: "svc outbox list", counts: ["message"]},
  timers: {row: "a timer", shownBy: "svc timer list", counts: ["timer"]},
  runs: {row: "a run", shownBy: "svc agent runs --state held", counts: ["run"]},
} as const

/** The base of the commands that decide about rows that wait for a person. */
export abstract class DecisionCommand extends DataCommand {
  /**
   * Acts on one row, or without `named` on all held rows. Throws `request_invalid` unless exactly one of `named` and
   * `--held` is given.
   */
  protected async decide(
    list: keyof typeof lists,
    action: Decision,
    named: string | undefined,
    isHeld = false,
    body?: object,
  ): Promise<void> {
    const {row, shownBy, counts} = lists[list]
    const [, noun] = row.split(" ")
    if (isHeld === (named !== undefined)) {
      const detail = isHeld ? `name either ${named} or --held, not both` : `which ${noun}?`
      const all = action === "retry" ? "" : `, or use --held for all held ${noun}s`
      throw new Problem("request_invalid", detail, {hint: `Name ${row} that ${shownBy} shows${all}.`})
    }
    const which = named === undefined ? "held" : encodeURIComponent(named)
    const changed = await this.post<Readonly<Record<string, number>>>(`/api/${list}/${which}/${action}`, body)
    this.show(changed, () => `${action}: ${counts.map(each => counted(changed[`${each}s`] ?? 0, each)).join(" of ")}`)
  }
}
