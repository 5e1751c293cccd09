import {Command, Option} from "clipanion"
import {parseJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {TimerCommand} from "../kit/schedule/command.ts"

export class TimerEdit extends TimerCommand {
  static override usage = Command.Usage({
    description: "change the time or the data of a timer",
    details: "A failed timer waits again; a timer that a restore holds stays held. Needs a running Host.",
    examples: [
      ["An hour from now", "svc timer edit 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --in 1h"],
      [
        "Each working day",
        "svc timer edit 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --cron '0 9 * * MON-FRI' --timezone Europe/London",
      ],
    ],
  })

  id = Option.String({name: "id"})
  revision = Option.String("--revision", {
    description: "The revision from svc timer show; refused if the timer has changed since",
  })

  async run(): Promise<void> {
    const when = this.when()
    if (when === undefined && this.data === undefined) {
      throw new Problem("request_invalid", "name at least one change", {hint: "svc timer edit --help"})
    }
    await this.post(`/api/timers/${encodeURIComponent(this.id)}/edit`, {
      when,
      ...(this.data === undefined ? {} : {data: parseJson(this.data, "--data")}),
      expectedRevision: this.revision,
    })
    this.show({id: this.id}, () => `changed ${this.id}`)
  }
}
