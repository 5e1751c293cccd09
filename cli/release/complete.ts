import {Command, Option} from "clipanion"
import type {ReleaseView} from "../../shared/api/release.ts"
import {ReleaseCommand} from "../kit/release/command.ts"

export class ReleaseComplete extends ReleaseCommand {
  static override usage = Command.Usage({
    description: "complete a release: open ingress again and begin the observation window",
    details: `
      Records the name of the person who checked the new version in the console and accepted it. The Host must be ready, as reported by \`svc doctor --live\`. It must run exactly the build that passed \`svc release verify\`: the same commit, lockfile, svc and plugin contents.

      The checkpoint of the release is not pruned until the observation window ends.
    `,
    examples: [
      ["Accept and complete", "svc release complete --accepted-by dana"],
      ["Observe for a weekend", "svc release complete --accepted-by dana --window 72h"],
      [
        "For an image that its own pipeline has tried",
        'svc release complete --accepted-by dana --unverified "tried by the image pipeline"',
      ],
    ],
  })

  acceptedBy = Option.String("--accepted-by", {
    required: true,
    description: "The name of the person who accepted it in the console",
  })
  window = Option.String("--window", {
    description: "The length of the observation window, for example 24h (default: releases.window)",
  })
  unverified = Option.String("--unverified", {
    description: "Complete without a passed verification, and record this reason",
  })

  async run(): Promise<void> {
    this.showRelease(
      await this.post<ReleaseView>("/api/releases/complete", {
        acceptedBy: this.acceptedBy,
        window: this.window,
        unverified: this.unverified,
      }),
    )
  }
}
