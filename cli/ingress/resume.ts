import {Command, Option} from "clipanion"
import type {IngressView} from "../../shared/api/readiness.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class IngressResume extends DataCommand {
  static override usage = Command.Usage({
    description: "remove one reason for the pause",
    details: "Ingress opens when no reason is left. The Host removes the reason disk when enough space is free again.",
    examples: [["After the release", "svc ingress resume --reason release"]],
  })

  reason = Option.String("--reason", "operator", {description: "operator or release"})

  async run(): Promise<void> {
    this.show(await this.post<IngressView>("/api/ingress/resume", {reason: this.reason}), describeIngress)
  }
}
