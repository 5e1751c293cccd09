import {Command} from "clipanion"
import type {IngressView} from "../../shared/api/readiness.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class IngressStatus extends DataCommand {
  static override paths = [["ingress", "status"]]
  static override usage = Command.Usage({
    description: "show whether ingress is open or paused, why, and since when",
    examples: [["The ingress of the project in this folder", "svc ingress status"]],
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const view = await host.get<IngressView>("/api/ingress")
    this.show(view, () => describeIngress(view))
    return exit.ok
  }
}
