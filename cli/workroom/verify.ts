import {Command} from "clipanion"
import {verifyStoppedWorkroom} from "../../server/offline/workroom.ts"
import {isLocked} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import type {VerificationView} from "../../shared/api/workroom.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"
import {describeStore} from "../kit/workroom/verified.ts"

export class WorkroomVerify extends DataCommand {
  static override usage = Command.Usage({
    description: "verify the workroom's entire Journal, and that the Catalog matches it",
    details:
      "Checks every record's checksum, hash and place in the chain, then the Catalog byte for byte. A running Host checks its own store; if the Host is stopped, the command checks the files without changing them.",
    examples: [
      ["With the Host running or stopped", "svc workroom verify"],
      ["As JSON", "svc workroom verify --json"],
    ],
  })

  async run(): Promise<void> {
    const found = (await isLocked(projectPaths(this.folder)))
      ? await (await connectHost(this.folder)).post<VerificationView>("/api/workroom/verify")
      : await verifyStoppedWorkroom(this.folder)
    this.show(found ?? null, () =>
      found === undefined ? "the workroom has never been used" : `${describeStore(found)}: sound`,
    )
  }
}
