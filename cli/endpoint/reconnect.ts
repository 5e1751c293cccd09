import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class EndpointReconnect extends DataCommand {
  static override paths = [["endpoint", "reconnect"]]
  static override usage = Command.Usage({
    description: "close an endpoint's connection and open a new one, also that of a failed endpoint",
    details: `
      An endpoint that failed does not try again. Once you have mended what it names on the platform's side, this command makes it try, without a restart of the Host. A credential in .env is read by svc runtime reload or at a start of the Host, not by this command.

      The command does not wait for the connection: svc endpoint show tells what became of it.
    `,
    examples: [["The bot has its permission now", "svc endpoint reconnect discord~main"]],
  })

  endpoint = Option.String({name: "endpoint"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const accepted = await host.post<{name: string}>(`/api/endpoints/${encodeURIComponent(this.endpoint)}/reconnect`)
    this.show(accepted, () => `${accepted.name} connects again; svc endpoint show ${accepted.name} tells its state`)
    return exit.ok
  }
}
