import type {ReleaseView} from "../../../shared/api/release.ts"
import {CheckpointCommand} from "../checkpoint/command.ts"
import {describeRelease} from "./view.ts"

/** The base of the commands about releases. */
export abstract class ReleaseCommand extends CheckpointCommand {
  showRelease(release: ReleaseView): void {
    this.show(release, describeRelease)
  }
}
