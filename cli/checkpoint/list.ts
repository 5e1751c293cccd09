import {Command} from "clipanion"
import {viewOf} from "../../server/recovery/checkpoint/store.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {ageOf} from "../kit/checkpoint/view.ts"
import {bytes, table} from "../kit/print.ts"

export class CheckpointList extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "list the checkpoints of the project, newest first",
    details: "Only a checkpoint that is `verified` and was not uploaded counts as a backup.",
    examples: [["The checkpoints of the project in this folder", "svc checkpoint list"]],
  })

  async run(): Promise<void> {
    const {checkpoints, damaged} = await this.store.list()
    const items = checkpoints.map(viewOf)
    this.show({items, damaged}, () =>
      [
        table(
          ["id", "state", "age", "size", "reason", "generation", "schema", "commit"],
          items.map(({id, state, createdAt, size, reason, generation, schema, commit, uploadedAt}) => [
            id,
            uploadedAt === null ? state : `${state}, uploaded`,
            ageOf(createdAt),
            bytes(size),
            reason,
            String(generation ?? ""),
            String(schema),
            commit?.slice(0, 12) ?? "",
          ]),
        ),
        ...damaged.map(({id, why}) => `${id}  damaged: ${why}`),
      ].join("\n"),
    )
  }
}
