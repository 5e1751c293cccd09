import {Command, Option} from "clipanion"
import type {ReleaseView} from "../../shared/api/release.ts"
import {ReleaseCommand} from "../kit/release/command.ts"

export class ReleaseAbort extends ReleaseCommand {
  static override usage = Command.Usage({
    description: "abort the release under way and open ingress again",
    details: "This undoes nothing: if the new version has already run, go back with `svc rollback <checkpoint>`.",
    examples: [["Abort and record the reason", 'svc release abort --reason "the tests fail"']],
  })

  reason = Option.String("--reason", {description: "The reason, for the record"})

  async run(): Promise<void> {
    this.showRelease(await this.post<ReleaseView>("/api/releases/abort", {reason: this.reason}))
  }
}
