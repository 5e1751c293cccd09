import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class GenerationRollback extends DataCommand {
  static override paths = [["generation", "rollback"]]
  static override usage = Command.Usage({
    description: "run the configuration of an earlier generation",
    details: `
      It is committed as a new generation and pinned: it runs, across restarts too, until svc.config.yml changes or svc generation unpin.

      Plugins run their present code; the file is not rewritten.
    `,
    examples: [["Back to generation 6", "svc generation rollback 6"]],
  })

  number = Option.String({name: "number"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const committed = await host.post<{number: number}>(`/api/generations/${encodeURIComponent(this.number)}/rollback`)
    this.show(committed, () => `generation ${committed.number} runs the configuration of ${this.number}, pinned`)
    return exit.ok
  }
}
