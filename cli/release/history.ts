import {Command} from "clipanion"
import {releasesOf} from "../../server/recovery/release/history.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {table} from "../kit/print.ts"
import {ReleaseCommand} from "../kit/release/command.ts"
import {verdict} from "../kit/release/view.ts"

export class ReleaseHistory extends ReleaseCommand {
  static override usage = Command.Usage({
    description: "list all releases and rollbacks, newest first",
    details: "With `--json` the output also has every entry of the record.",
    examples: [["All releases, with their dates and who accepted them", "svc release history"]],
  })

  async run(): Promise<void> {
    const entries = await new ReleaseRecord(this.places.releases).read()
    const releases = releasesOf(entries, Date.now())
    this.show({releases, entries}, () =>
      table(
        ["release", "state", "began", "ended", "checkpoint", "commit before", "verified", "accepted by"],
        releases.map(release => [
          release.id,
          release.state.replace("_", " "),
          release.beganAt,
          release.endedAt ?? "",
          release.restorePoint?.checkpoint ?? "",
          release.restorePoint?.commit?.slice(0, 12) ?? "",
          release.unverified === null ? verdict(release) : "unverified",
          release.acceptedBy ?? "",
        ]),
      ),
    )
  }
}
