import {Command, Option} from "clipanion"
import {restoreStopped} from "../../server/project/offline/checkpoint.ts"
import {installCommand, packageManagerOf} from "../../server/recovery/release/verification/package-manager.ts"
import type {Restored, RestorePlan} from "../../server/recovery/restore/restore.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {withCheckpoint} from "../kit/checkpoint/open.ts"
import {describeOutcome, describeSchema} from "../kit/checkpoint/view.ts"
import {type Facts, facts} from "../kit/print.ts"

export class CheckpointRestore extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "replace the project's state by a checkpoint; the Host must be stopped",
    details: `
      Verifies the checkpoint first. If the restore is interrupted, the next command or start completes it or undoes it: the state is entirely the old one or entirely the checkpoint's.

      The restored state gets a new authority. Unsent messages and unhandled events are held: the Host sends and handles them only after \`svc outbox release --held\` and \`svc inbox release --held\`. \`discard --held\` drops them.

      The configuration is restored too; the replaced one is kept beside it, as \`svc.config.yml.before-<checkpoint>\`.

      Code, packages and data must fit together: if the commit, package.json or the lockfile differ, the restore is refused (\`restore_mismatch\`) and changes nothing. \`svc rollback\` restores code, packages and data together. \`--data-only\` restores only the data. \`--with-packages\` also restores package.json and the lockfile, and leaves the code as it is.

      In a folder that has none of these files, the restore writes all of them. In a read-only project, they and the commit must be the checkpoint's.
    `,
    examples: [
      ["Show what would happen, and whether it would be refused", "svc checkpoint restore newest --dry-run"],
      ["Restore one of the project's checkpoints", "svc checkpoint restore 20261121-101500-3f9a1c"],
      ["Restore only the data, and keep the present code", "svc checkpoint restore newest --data-only"],
      ["Restore an archive into an empty folder", "svc checkpoint restore /backup/bot.tar.gz --project ./bot"],
    ],
  })

  checkpoint = Option.String({name: "checkpoint"})
  dataOnly = Option.Boolean("--data-only", false, {
    description: "Leave configuration, package.json and lockfile as they are, even if the code differs",
  })
  withPackages = Option.Boolean("--with-packages", false, {
    description: "Restore package.json and lockfile even if they or the code differ; the code stays as it is",
  })
  dryRun = Option.Boolean("--dry-run", false, {description: "Only print what it would do, and whether it would refuse"})

  async run(): Promise<void> {
    const {dataOnly, withPackages, dryRun} = this
    if (dataOnly && withPackages)
      throw new Problem("request_invalid", "--data-only and --with-packages cannot be used together", {
        hint: "--data-only leaves package.json and the lockfile as they are; --with-packages restores them.",
      })
    const result = await this.withProgress(progress =>
      withCheckpoint(
        this.checkpoint,
        {store: this.store, temporary: this.places.temporary, input: process.stdin, progress},
        found =>
          restoreStopped(this.stopped, found, {dataOnly, withPackages, dryRun, progress, onPlan: this.#tellPlan}),
      ),
    )
    if ("held" in result) {
      const next = await this.#next(result)
      this.show(result, () =>
        facts([...describe(result), ...this.#warnings(result), ...describeOutcome(result), ["next", next]]),
      )
    } else if (this.json) this.show(result, () => "")
  }

  /** Prints the plan, before a dry run reports that the restore would be refused. */
  #tellPlan = (plan: RestorePlan): void => {
    if (!this.json) this.print(facts([...describe(plan), ...this.#warnings(plan)]))
  }

  #warnings({mismatches}: RestorePlan): Facts {
    if (mismatches.length === 0 || !(this.dataOnly || this.withPackages)) return []
    const what = this.dataOnly ? "code and packages differ" : "code differs"
    return [["warning", `the ${what} from the checkpoint's and may not fit its data; to test that: ${this.#tryIt}`]]
  }

  get #tryIt(): string {
    const name = this.checkpoint === "-" ? "<archive>" : this.checkpoint
    return `svc runtime start --once --mode test --from-checkpoint ${name}`
  }

  async #next({isNew}: Restored): Promise<string> {
    const start = "svc doctor, then svc runtime start; then release or discard the held work"
    if (!isNew && !this.withPackages) return start
    const install = await packageManagerOf(this.folder).then(installCommand, () => "install the packages")
    return `${isNew ? "copy the code and .env into this folder; " : ""}${install}; svc build; ${start}`
  }
}

const describe = (result: Restored | RestorePlan): Facts => {
  const isDone = "held" in result
  return [
    [isDone ? "restored" : "would restore", `${result.checkpoint}, of ${result.createdAt}`],
    ["database", result.database],
    ...describeSchema(result, isDone ? "before" : "now"),
    ["project", describeFiles(result)],
    [isDone ? "differed" : "differs", result.differences],
    ...describeKept(result),
    ["authority", isDone ? `${result.newAuthority}, before ${result.authority}` : `new, before ${result.authority}`],
  ]
}

const projectFiles = {
  restored: "svc.config.yml, package.json, lockfile",
  compared: "read-only, and the same as the checkpoint's",
  kept: "unchanged",
} as const

const describeFiles = ({projectFiles: what, isNew}: RestorePlan): string =>
  isNew ? "svc.config.yml, package.json, lockfile (all new in this folder)" : projectFiles[what]

const describeKept = (result: Restored | RestorePlan): Facts => {
  const place = "held" in result ? result.keptConfiguration : `svc.config.yml.before-${result.checkpoint}`
  const name = "held" in result ? "kept" : "would keep"
  return result.replacesConfiguration && place !== null ? [[name, `the replaced configuration, as ${place}`]] : []
}
