import {Command, Option} from "clipanion"
import {recordVerification} from "../../server/project/offline/release.ts"
import {ReleaseRecord, underWay} from "../../server/recovery/release/record.ts"
import {requireUnderWay} from "../../server/recovery/release/rules.ts"
import {readPrepared} from "../../server/recovery/release/verification/prepared.ts"
import {type TryOptions, tryRelease} from "../../server/recovery/release/verification/try-release.ts"
import {onSignals} from "../../server/runtime/process/signals.ts"
import type {ReleaseVerification} from "../../shared/api/release.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import type {ProgressLine} from "../kit/progress.ts"
import {describeStep} from "../kit/release/view.ts"
import {durationOption} from "../kit/time-option.ts"

type Subject = Pick<TryOptions, "release" | "prepared" | "commit">

class ReleaseVerify extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "try the new version in a separate folder, and record the result",
    details: `
      Works in a git work tree under \`.svc/tmp\`, never in the project itself, and beside a running Host. It runs these steps with the svc of the new version:

      - install the dependencies as the lockfile has them

      - \`svc doctor --static\`

      - the scripts \`build\` and \`test\`

      - \`svc runtime start --once --mode test\` on a copy of the release's checkpoint, which tries every migration on real data

      Where \`svc release prepare\` has tried the same version, it continues in that folder: it checks the packages, keeps the build, and repeats all other steps.

      Without git, it tries a copy of the project's files that are not ignored. The build that passed is kept for \`svc release install\`.

      It stops at the first step that fails, and exits 1. The output of each step is kept in \`.svc/verifications/\`, without the values of secrets. Install, build and tests run without the variables that the configuration and the \`.env\` files name. Doctor and the one-shot start get the variables that the configuration names.
    `,
    examples: [
      ["The prepared commit; without one, the commit that is checked out", "svc release verify"],
      ["A fetched commit, while the old version runs", "svc release verify origin/main"],
      ["With slow tests", "svc release verify v2.0.0 --limit 2h"],
    ],
  })

  limit = Option.String("--limit", "30m", {description: "The time limit of each step"})
  commit = Option.String({name: "commit", required: false})

  async run(): Promise<boolean> {
    const limit = durationOption("--limit", this.limit, "30m or 2h")
    const subject = await this.subject()
    const verification = await this.withProgress(show => this.#try({...subject, limit}, show))
    const recorded = await this.record(verification)
    this.show(recorded, () => this.verdict(verification))
    return verification.ok
  }

  /** Resolves to what the trial is about and for. */
  protected async subject(): Promise<Subject> {
    const release = requireUnderWay(await new ReleaseRecord(this.places.releases).read())
    const commit = this.commit ?? (await readPrepared(this.places))?.verification.commit
    return {release, prepared: "use", ...(commit == null ? {} : {commit})}
  }

  async #try(subject: Subject & Pick<TryOptions, "limit">, show: ProgressLine["show"]) {
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
        ...subject,
        environment: this.environment,
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

  /** Records the verification. Resolves to what the command prints as JSON. */
  protected async record(verification: ReleaseVerification): Promise<object> {
    const host = await this.host()
    return host === undefined
      ? recordVerification(this.stopped, verification)
      : host.post("/api/releases/verification", {body: verification})
  }

  protected verdict({ok, commit}: ReleaseVerification): string {
    const what = commit ?? "the copy of the project"
    return ok
      ? `${what} passed: svc release install, svc runtime restart, check the console; then svc release complete --accepted-by <name>`
      : `${what} FAILED: fix the problem and repeat this command, or run svc release abort`
  }
}

export const prepare = class extends ReleaseVerify {
  static override usage = Command.Usage({
    description: "try the new version before a release begins, and keep its packages and its build",
    details: `
      Runs the steps of \`svc release verify\` while ingress is open. The one-shot start uses a copy of the newest verified checkpoint; without one, of a checkpoint that the running Host makes first; without a Host, an empty database.

      \`svc release verify\` then repeats the steps from what was kept, if commit, lockfile, svc and runtime are the same. What was kept is deleted by the next \`svc release prepare\`, and once the release is completed or aborted.
    `,
    examples: [["A fetched commit", "svc release prepare origin/main"]],
  })

  protected override async subject(): Promise<Subject> {
    const current = underWay(await new ReleaseRecord(this.places.releases).read())
    if (current !== undefined)
      throw new Problem("release_refused", `the release ${current.id} is under way`, {hint: "Run svc release verify."})
    const checkpoint = (await this.store.newestVerified())?.id ?? (await this.#ask())
    const restorePoint = checkpoint === undefined ? null : {checkpoint}
    const release = {id: "release-prepared", restorePoint}
    return {release, prepared: "keep", ...(this.commit === undefined ? {} : {commit: this.commit})}
  }

  protected override async record(verification: ReleaseVerification): Promise<object> {
    return verification
  }

  protected override verdict({ok, commit}: ReleaseVerification): string {
    const what = commit ?? "the copy of the project"
    return ok
      ? `${what} is prepared: svc release begin, then svc release verify`
      : `${what} FAILED, and nothing was kept: fix the problem and repeat this command`
  }

  /** Resolves to a checkpoint that the running Host makes and verifies; undefined without a Host. */
  async #ask(): Promise<string | undefined> {
    const host = await this.host()
    if (host === undefined) return undefined
    const begun = await host.post("/api/checkpoints", {body: {}})
    await this.awaitTask(host, begun)
    return begun.id
  }
}

export {ReleaseVerify as verify}
