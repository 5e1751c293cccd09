import {Command} from "clipanion"
import {rebuildStoppedWorkroom} from "../../server/offline/workroom.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {describeStore} from "../kit/workroom/verified.ts"

export class WorkroomRebuild extends DataCommand {
  static override paths = [["workroom", "rebuild"]]
  static override usage = Command.Usage({
    description: "rebuild the workroom's Catalog from its Journal",
    details:
      "For a Catalog that was lost or damaged. The Host must be stopped: it has the Catalog in memory. A Journal that is damaged itself is refused; a Catalog file that is replaced is kept beside it.",
    examples: [["After svc workroom verify said that only the Catalog is damaged", "svc workroom rebuild"]],
  })

  async run(): Promise<ExitCode> {
    const made = await rebuildStoppedWorkroom(this.folder)
    this.show(made ?? null, () =>
      made === undefined ? "the workroom was never used" : `${describeStore(made)}: rebuilt`,
    )
    return exit.ok
  }
}
