import {Command, Option} from "clipanion"
import type {ReleaseView} from "../../shared/api/release.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {ReleaseCommand} from "../kit/release/command.ts"

export class ReleaseAbort extends ReleaseCommand {
  static override paths = [["release", "abort"]]
  static override usage = Command.Usage({
    description: "give up the release under way, and open ingress again",
    details: "Nothing is taken back: where the new version has run already, go back with `svc rollback <checkpoint>`.",
    examples: [["Not today", 'svc release abort --reason "the tests fail"']],
  })

  reason = Option.String("--reason", {description: "Why; it is recorded"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    this.showRelease(
      await host.post<ReleaseView>("/api/releases/abort", this.reason === undefined ? {} : {reason: this.reason}),
    )
    return exit.ok
  }
}
