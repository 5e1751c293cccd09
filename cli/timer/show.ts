import {Command, Option} from "clipanion"
import type {TimerDetail} from "../../shared/api/scheduled/timers.ts"
import {facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class TimerShow extends DataCommand {
  static override usage = Command.Usage({
    description: "show one timer: its time, place and data",
    examples: [["A timer that svc timer list shows", "svc timer show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    const timer = await this.get<TimerDetail>(`/api/timers/${encodeURIComponent(this.id)}`)
    this.show(timer, () =>
      facts([
        ["id", timer.id],
        ["timer", `${timer.plugin}/${timer.name}`],
        ["state", timer.reason === null ? timer.state : `${timer.state} (${timer.reason})`],
        ["due", timer.dueAt],
        ["repeats", timer.schedule === null ? "no, it fires once" : `${timer.schedule} ${timer.timezone ?? ""}`.trim()],
        ["missed", timer.missed],
        ["where", [timer.endpoint, timer.channel, timer.user].filter(part => part !== null).join(" ") || "-"],
        ["key", timer.key ?? "-"],
        ["set", timer.createdAt],
        ["fired", timer.lastFiredAt === null ? "not yet" : `${timer.fired} times, last at ${timer.lastFiredAt}`],
        ["revision", timer.revision],
        ["data", JSON.stringify(timer.data)],
      ]),
    )
  }
}
