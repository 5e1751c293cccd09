import {Command} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class GenerationUnpin extends DataCommand {
  static override paths = [["generation", "unpin"]]
  static override usage = Command.Usage({
    description: "end a rollback: run svc.config.yml again",
    examples: [["End a rollback", "svc generation unpin"]],
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const committed = await host.post<{number: number}>("/api/generations/unpin")
    this.show(committed, () => `generation ${committed.number} runs svc.config.yml`)
    return exit.ok
  }
}
