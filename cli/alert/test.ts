import {Command, Option} from "clipanion"
import type {AlertTestResult} from "../../shared/alerts/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AlertTest extends DataCommand {
  static override usage = Command.Usage({
    description: "send a test alert to one target or to all, and print the results",
    details: `
      The running Host sends the test at once, even in quiet hours. The command exits 1 if a target did not accept it.

      For a channel, accepted means stored in the outbox: svc outbox list shows whether the platform accepted the message.
    `,
    examples: [
      ["To all targets", "svc alert test"],
      ["To one target", "svc alert test ops"],
    ],
  })

  target = Option.String({required: false, name: "target"})

  async run(): Promise<ExitCode> {
    const result = await this.post<AlertTestResult>("/api/alerts/test", {target: this.target})
    this.show(result, () =>
      table(
        ["target", "", "result"],
        result.items.map(({target, ok, detail}) => [target, ok ? "ok" : "failed", detail]),
      ),
    )
    return result.items.every(({ok}) => ok) ? exit.ok : exit.failed
  }
}
