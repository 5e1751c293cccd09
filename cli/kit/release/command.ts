import type {ReleaseView} from "../../../shared/api/release.ts"
import {CheckpointCommand} from "../checkpoint/command.ts"
import {describeRelease} from "./view.ts"

export abstract class ReleaseCommand extends CheckpointCommand {
  showRelease(release: ReleaseView): void {
    this.show(release, describeRelease)
  }
}
