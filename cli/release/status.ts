import {Command} from "clipanion"
import {releasesOf} from "../../server/recovery/release/history.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {ReleaseCommand} from "../kit/release/command.ts"
import {describeRelease} from "../kit/release/view.ts"

export class ReleaseStatus extends ReleaseCommand {
  static override usage = Command.Usage({
    description: "show the progress of the newest release, and the time left in its observation window",
    examples: [["The newest release", "svc release status"]],
  })

  async run(): Promise<void> {
    const [newest] = releasesOf(await new ReleaseRecord(this.places.releases).read(), Date.now())
    this.show({release: newest ?? null}, () =>
      newest === undefined ? "there has been no release yet (svc release begin)" : describeRelease(newest),
    )
  }
}
