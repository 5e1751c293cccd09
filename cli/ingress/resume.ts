import {Command, Option} from "clipanion"
import type {IngressView} from "../../shared/api/readiness.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class IngressResume extends DataCommand {
  static override paths = [["ingress", "resume"]]
  static override usage = Command.Usage({
    description: "take back a reason for the pause",
    details: `
      Ingress opens when no reason is left. The reason disk goes by itself, once there is free space again.
    `,
    examples: [["After the release", "svc ingress resume --reason release"]],
  })

  reason = Option.String("--reason", "operator", {description: "operator or release"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const view = await host.post<IngressView>("/api/ingress/resume", {reason: this.reason})
    this.show(view, () => describeIngress(view))
    return exit.ok
  }
}
