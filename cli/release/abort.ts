import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {ReleaseView} from "../../shared/release.ts"
import {connectHost} from "../host-client.ts"
import {ReleaseCommand} from "./release-command.ts"

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
