import {Command, Option} from "clipanion"
import type {AlertTestResult} from "../../shared/alerts/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AlertTest extends DataCommand {
  static override paths = [["alert", "test"]]
  static override usage = Command.Usage({
    description: "send a test to one target of alerts, or to all, and say what became of it",
    details: `
      The running Host sends it at once, in quiet hours too. It exits 1 where a target did not take its test.

      A message to a channel is in the outbox then: svc outbox list shows whether the platform took it.
    `,
    examples: [
      ["To all targets", "svc alert test"],
      ["To one of them", "svc alert test ops"],
    ],
  })

  target = Option.String({required: false, name: "target"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const asked = this.target === undefined ? {} : {target: this.target}
    const result = await host.post<AlertTestResult>("/api/alerts/test", asked)
    this.show(result, () =>
      table(
        ["target", "", "what became of it"],
        result.items.map(({target, ok, detail}) => [target, ok ? "ok" : "failed", detail]),
      ),
    )
    return result.items.every(({ok}) => ok) ? exit.ok : exit.failed
  }
}
