import {Command} from "clipanion"
import {DataCommand} from "../kit/svc-command.ts"

export class GenerationUnpin extends DataCommand {
  static override usage = Command.Usage({
    description: "end a rollback: run svc.config.yml again",
    examples: [["End a rollback", "svc generation unpin"]],
  })

  async run(): Promise<void> {
    const committed = await this.post<{number: number}>("/api/generations/unpin")
    this.show(committed, () => `generation ${committed.number} runs svc.config.yml`)
  }
}
