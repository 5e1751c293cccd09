import {Command, Option} from "clipanion"
import {recordVerification} from "../../server/offline/release.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {requireUnderWay} from "../../server/recovery/release/rules.ts"
import {tryRelease} from "../../server/recovery/release/verification/try-release.ts"
import {onSignals} from "../../server/runtime/process/signals.ts"
import type {ReleaseVerification, ReleaseView} from "../../shared/api/release.ts"
import {durationOf, durationPattern} from "../../shared/duration.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {describeStep} from "../kit/release/view.ts"

export class ReleaseVerify extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "try the new version in a separate folder, and record the result",
    details: `
      Works in a git work tree under \`.svc/tmp\`, never in the project itself, and beside a running Host. It runs these steps with the svc of the new version:

      - install the dependencies as the lockfile has them

      - \`svc doctor --static\`

      - the scripts \`build\` and \`test\`

      - \`svc runtime start --once --mode test\` on a copy of the release's checkpoint, which tries every migration on real data

      Without git, it tries a copy of the project's files that are not ignored. The build that passed is kept for \`svc release install\`.

      It stops at the first step that fails, and exits 1. The output of each step is kept in \`.svc/verifications/\`, without the values of secrets. Install, build and tests run without the variables that the configuration and the \`.env\` files name. Doctor and the one-shot start get the variables that the configuration names.
    `,
    examples: [
      ["The commit that is checked out", "svc release verify"],
      ["A fetched commit, while the old version runs", "svc release verify origin/main"],
      ["With slow tests", "svc release verify v2.0.0 --limit 2h"],
    ],
  })

  limit = Option.String("--limit", "30m", {description: "The time limit of each step"})
  commit = Option.String({name: "commit", required: false})

  async run(): Promise<ExitCode> {
    if (!new RegExp(durationPattern).test(this.limit))
      throw new Problem("request_invalid", `--limit must be a duration such as 30m or 2h, not "${this.limit}"`)
    const release = requireUnderWay(await new ReleaseRecord(this.places.releases).read())
    const verification = await this.withProgress(show => this.#try(release, show))
    const recorded = await this.#record(verification)
    this.show(recorded, () => this.#verdict(verification))
    return verification.ok ? exit.ok : exit.failed
  }

  async #try(release: ReleaseView, show: (step: string, done: number, total: number) => void) {
    const ending = new AbortController()
    onSignals({
      stop: signal =>
        ending.abort(new Problem("stopping", `ended by ${signal}; recorded nothing`, {hint: "Repeat the command."})),
      reload: () => {},
    })
    let told = ""
    const timer = setInterval(() => show(told, 0, 0), 1000)
    try {
      return await tryRelease({
        paths: this.places,
        release,
        ...(this.commit === undefined ? {} : {commit: this.commit}),
        environment: this.environment,
        limit: durationOf(this.limit),
        command: this.stopped.command,
        signal: ending.signal,
        onBegin: (step, number, of) => {
          told = `${number}/${of} ${step}`
          show(told, 0, 0)
        },
        onEnd: step => {
          show("", 0, 0)
          if (!this.json) this.print(describeStep(step))
        },
      })
    } finally {
      clearInterval(timer)
    }
  }

  async #record(verification: ReleaseVerification): Promise<ReleaseView> {
    const host = await this.host()
    return host === undefined
      ? recordVerification(this.stopped, verification)
      : host.post<ReleaseView>("/api/releases/verification", verification)
  }

  #verdict({ok, commit}: ReleaseVerification): string {
    const what = commit ?? "the copy of the project"
    return ok
      ? `${what} passed: svc release install, svc runtime restart, check the console; then svc release complete --accepted-by <name>`
      : `${what} FAILED: fix the problem and repeat this command, or run svc release abort`
  }
}
