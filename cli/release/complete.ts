import {Command, Option} from "clipanion"
import type {ReleaseView} from "../../shared/api/release.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {ReleaseCommand} from "../kit/release/command.ts"

export class ReleaseComplete extends ReleaseCommand {
  static override paths = [["release", "complete"]]
  static override usage = Command.Usage({
    description: "open ingress again, and begin the observation window",
    details: `
      Somebody has looked at the console and accepted what runs: the name is recorded. The Host must be ready, as \`svc doctor --live\` finds it, and run exactly the build that \`svc release verify\` has passed: commit, lockfile, svc, contents of plugins.

      Until the observation window ends, the checkpoint of the release is not pruned.
    `,
    examples: [
      ["Accepted", "svc release complete --accepted-by dana"],
      ["Observed for a weekend", "svc release complete --accepted-by dana --window 72h"],
      [
        "Of an image, which its own pipeline has tried",
        'svc release complete --accepted-by dana --unverified "tried by the image pipeline"',
      ],
    ],
  })

  acceptedBy = Option.String("--accepted-by", {required: true, description: "Who accepted it at the console"})
  window = Option.String("--window", {
    description: "How long it is observed, for example 24h (default: releases.window)",
  })
  unverified = Option.String("--unverified", {description: "Why it is completed without a verification that passed"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    this.showRelease(
      await host.post<ReleaseView>("/api/releases/complete", {
        acceptedBy: this.acceptedBy,
        ...(this.window === undefined ? {} : {window: this.window}),
        ...(this.unverified === undefined ? {} : {unverified: this.unverified}),
      }),
    )
    return exit.ok
  }
}
