import {Command, Option} from "clipanion"
import type {TimerView} from "../../shared/api/scheduled/timers.ts"
import {PageCommand} from "../kit/page-command.ts"
import {shorten, table} from "../kit/print.ts"

export class TimerList extends PageCommand {
  static override usage = Command.Usage({
    description: "list the timers of plugins, newest first",
    details: "After its last firing a timer disappears from this list; svc inbox list shows its event.",
    examples: [
      ["The newest timers", "svc timer list"],
      ["Timers that a restore holds", "svc timer list --state held"],
    ],
  })

  state = Option.String("--state", {description: "Only timers in this state: waiting, held or failed"})

  async run(): Promise<void> {
    const page = await this.page<TimerView>("/api/timers", {state: this.state})
    this.show(page, () =>
      table(
        ["id", "due", "state", "timer", "where", "repeats"],
        page.items.map(({id, dueAt, state, plugin, name, endpoint, channel, user, schedule, timezone}) => [
          id,
          dueAt,
          state,
          `${plugin}/${name}`,
          shorten([endpoint, channel ?? user].filter(part => part !== null).join(" ") || "-", 40),
          schedule === null ? "once" : [schedule, timezone ?? ""].join(" ").trim(),
        ]),
      ),
    )
  }
}
