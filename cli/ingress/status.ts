import {Command} from "clipanion"
import type {IngressView} from "../../shared/api/readiness.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class IngressStatus extends DataCommand {
  static override usage = Command.Usage({
    description: "show whether ingress is open or paused, why, and since when",
    examples: [["The ingress of the project in this folder", "svc ingress status"]],
  })

  async run(): Promise<void> {
    this.show(await this.get<IngressView>("/api/ingress"), describeIngress)
  }
}
