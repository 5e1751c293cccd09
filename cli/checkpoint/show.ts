import {Command, Option} from "clipanion"
import {detailOf} from "../../server/recovery/checkpoint/store.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {describeCheckpoint} from "../kit/checkpoint/view.ts"

export class CheckpointShow extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "show the contents of a checkpoint and the result of its verification",
    examples: [
      ["The newest checkpoint", "svc checkpoint show"],
      ["With every file", "svc checkpoint show 20261121-101500-3f9a1c --json"],
    ],
  })

  id = Option.String({name: "id", required: false})

  async run(): Promise<void> {
    const stored = await this.store.get(this.id ?? "newest")
    this.show(detailOf(stored), () => describeCheckpoint(stored))
  }
}
