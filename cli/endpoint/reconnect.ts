import {Command, Option} from "clipanion"
import {DataCommand} from "../kit/svc-command.ts"

export class EndpointReconnect extends DataCommand {
  static override usage = Command.Usage({
    description: "close an endpoint's connection and open a new one, even if the endpoint has failed",
    details: `
      A failed endpoint does not retry. Once you have fixed the cause on the platform, this command makes the endpoint connect again without a restart of the Host. To load a changed credential from .env, use svc runtime reload or restart the Host.

      The command does not wait for the connection: svc endpoint show shows the result.
    `,
    examples: [["After you gave the bot its permission", "svc endpoint reconnect discord~main"]],
  })

  endpoint = Option.String({name: "endpoint"})

  async run(): Promise<void> {
    const accepted = await this.post<{name: string}>(`/api/endpoints/${encodeURIComponent(this.endpoint)}/reconnect`)
    this.show(accepted, () => `${accepted.name} is reconnecting; svc endpoint show ${accepted.name} shows its state`)
  }
}
