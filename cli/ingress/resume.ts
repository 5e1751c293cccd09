import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {IngressView} from "../../shared/readiness.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"
import {describeIngress} from "./view.ts"

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
