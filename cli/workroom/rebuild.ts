import {Command} from "clipanion"
import {rebuildStoppedWorkroom} from "../../server/offline/workroom.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {describeStore} from "../kit/workroom/verified.ts"

export class WorkroomRebuild extends DataCommand {
  static override usage = Command.Usage({
    description: "rebuild the workroom's Catalog from its Journal",
    details:
      "Use it if the Catalog is lost or damaged. The Host must be stopped, because it has the Catalog in memory. The command refuses a damaged Journal. It keeps a replaced Catalog file beside the new one.",
    examples: [["After svc workroom verify has found a damaged Catalog and an intact Journal", "svc workroom rebuild"]],
  })

  async run(): Promise<void> {
    const made = await rebuildStoppedWorkroom(this.folder)
    this.show(made ?? null, () =>
      made === undefined ? "the workroom has never been used" : `${describeStore(made)}: rebuilt`,
    )
  }
}
