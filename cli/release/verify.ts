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
import {ReleaseCommand} from "../kit/release/command.ts"
import {describeStep} from "../kit/release/view.ts"

export class ReleaseVerify extends ReleaseCommand {
  static override paths = [["release", "verify"]]
  static override usage = Command.Usage({
    description: "try the version of the release in a folder of its own, and record what was found",
    details: `
      In a git work tree under \`.svc/tmp\`, never in the running one: installs the dependencies as the lockfile has them, then \`svc doctor --static\`, the scripts \`build\` and \`test\`, and \`svc runtime start --once --mode test\`, with the svc of that version, on a copy of the checkpoint of the release: every migration is tried on real data. Works beside a running Host. Without git, a copy of what is not ignored is tried.

      The build that has passed is kept for \`svc release install\`.

      Ends at the first step that fails, and exits 1. What each step prints is kept in \`.svc/verifications/\`, without the values of secrets. Install, build and tests do not get the variables that the configuration and the \`.env\` files name; doctor and one-shot start get those that the configuration names.
    `,
    examples: [
      ["The commit that is checked out", "svc release verify"],
      ["One that was fetched, while the old version runs", "svc release verify origin/main"],
      ["With tests that take long", "svc release verify v2.0.0 --limit 2h"],
    ],
  })

  limit = Option.String("--limit", "30m", {description: "How long each step may take"})
  commit = Option.String({name: "commit", required: false})

  async run(): Promise<ExitCode> {
    if (!new RegExp(durationPattern).test(this.limit))
      throw new Problem("request_invalid", `--limit is a duration such as 30m or 2h, not "${this.limit}"`)
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
        ending.abort(new Problem("stopping", `ended by ${signal}; nothing was recorded`, {hint: "Repeat it."})),
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
      ? `${what} passed: svc release install, svc runtime restart, look at the console; then svc release complete --accepted-by <name>`
      : `${what} FAILED: correct it and repeat this, or svc release abort`
  }
}
