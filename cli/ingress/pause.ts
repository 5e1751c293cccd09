import {Command, Option} from "clipanion"
import type {IngressView} from "../../shared/api/readiness.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class IngressPause extends DataCommand {
  static override usage = Command.Usage({
    description: "stop admitting events and accepting sends, until ingress is resumed",
    details: `
      The Host still handles the events that it has accepted and sends the messages in the outbox. Reads and probes still work, and readiness does not change. The pause survives restarts.

      Endpoints whose platform does not deliver again have a gap until ingress is open: svc inbox gaps.
    `,
    examples: [["Before a release", "svc ingress pause --reason release"]],
  })

  reason = Option.String("--reason", "operator", {description: "operator or release"})

  async run(): Promise<void> {
    this.show(await this.post<IngressView>("/api/ingress/pause", {reason: this.reason}), describeIngress)
  }
}
