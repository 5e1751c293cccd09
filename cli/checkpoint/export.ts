import {Command, Option} from "clipanion"
import {writeArchive} from "../../server/recovery/checkpoint/archive.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"

export class CheckpointExport extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "write a verified checkpoint as one archive",
    details: "Refuses a checkpoint whose data contains the value of a secret: `svc checkpoint show` names the rows.",
    examples: [
      ["The newest checkpoint, compressed", "svc checkpoint export newest --output /backup/bot.tar.gz"],
      ["To another machine", "svc checkpoint export newest --output - | ssh backup 'cat > bot.tar'"],
    ],
  })

  id = Option.String({name: "id"})
  output = Option.String("--output", {required: true, description: "A .tar or .tar.gz file, or - for standard output"})

  async run(): Promise<void> {
    const stored = await this.store.get(this.id)
    await this.withProgress(show => writeArchive(stored, this.output === "-" ? this.context.stdout : this.output, show))
    if (this.output !== "-") this.show({id: stored.id, output: this.output}, () => `${stored.id} is in ${this.output}`)
  }
}
