import {Command, Option} from "clipanion"
import {restoreStopped} from "../../server/offline/checkpoint.ts"
import {installCommand, packageManagerOf} from "../../server/recovery/release/verification/package-manager.ts"
import type {Restored, RestorePlan} from "../../server/recovery/restore/restore.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {withCheckpoint} from "../kit/checkpoint/open.ts"
import {describeSchema} from "../kit/checkpoint/schema.ts"
import {counted, facts} from "../kit/print.ts"

type Rows = readonly (readonly [string, string])[]

export class CheckpointRestore extends CheckpointCommand {
  static override paths = [["checkpoint", "restore"]]
  static override usage = Command.Usage({
    description: "put a checkpoint in the place of the project's state; the Host must be stopped",
    details: `
      Verifies it first. Wherever this is cut off, the next command or start finishes it or takes it back: the project is wholly as before, or wholly the checkpoint's.

      The restored state gets an authority of its own, and sends and handles nothing by itself: what was unsent or unhandled is held, until \`svc outbox release --held\` and \`svc inbox release --held\`, or \`discard --held\`.

      The configuration is restored too; the one that it replaces is kept beside it, as \`svc.config.yml.before-<checkpoint>\`. Code and packages are never mixed: where the commit, package.json or the lockfile differ, this refuses (\`restore_mismatch\`), and changes nothing. \`svc rollback\` takes code, packages and data back together; \`--data-only\` restores the data alone; \`--with-packages\` also restores package.json and lockfile, and leaves the code as it is. Into a folder that has none of these files, all of them come. Where the project is read-only, they and the commit must be those of the checkpoint.
    `,
    examples: [
      ["What it would do, and whether it would be refused", "svc checkpoint restore newest --dry-run"],
      ["One of the project's own", "svc checkpoint restore 20261121-101500-3f9a1c"],
      ["The data alone, for the code that is here", "svc checkpoint restore newest --data-only"],
      ["An archive, into a folder that is empty", "svc checkpoint restore /backup/bot.tar.gz --project ./bot"],
    ],
  })

  checkpoint = Option.String({name: "checkpoint"})
  dataOnly = Option.Boolean("--data-only", false, {
    description: "Leave configuration, package.json and lockfile as they are, whatever the code is",
  })
  withPackages = Option.Boolean("--with-packages", false, {
    description: "Restore package.json and lockfile although they or the code differ; the code stays as it is",
  })
  dryRun = Option.Boolean("--dry-run", false, {description: "Only say what it would do, and whether it would refuse"})

  async run(): Promise<ExitCode> {
    const {dataOnly, withPackages, dryRun} = this
    if (dataOnly && withPackages)
      throw new Problem("request_invalid", "--data-only and --with-packages exclude each other", {
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
        facts([...describe(result), ...this.#warnings(result), ...outcome(result), ["next", next]]),
      )
    } else if (this.json) this.show(result, () => "")
    return exit.ok
  }

  /** Before a dry run says that it would be refused. */
  #tellPlan = (plan: RestorePlan): void => {
    if (!this.json) this.print(facts([...describe(plan), ...this.#warnings(plan)]))
  }

  #warnings({mismatches}: RestorePlan): Rows {
    if (mismatches.length === 0 || !(this.dataOnly || this.withPackages)) return []
    const what = this.dataOnly ? "code and packages here are" : "code here is"
    return [["warning", `the ${what} not the checkpoint's, and may not fit its data: ${this.#tryIt} tries that`]]
  }

  get #tryIt(): string {
    const name = this.checkpoint === "-" ? "<archive>" : this.checkpoint
    return `svc runtime start --once --mode test --from-checkpoint ${name}`
  }

  async #next({isNew}: Restored): Promise<string> {
    const start = "svc doctor, then svc runtime start; then release or discard what is held"
    if (!isNew && !this.withPackages) return start
    const install = await packageManagerOf(this.folder).then(installCommand, () => "install the packages")
    return `${isNew ? "put the code and .env here; " : ""}${install}; svc build; ${start}`
  }
}

const describe = (result: Restored | RestorePlan): Rows => {
  const isDone = "held" in result
  return [
    [isDone ? "restored" : "would restore", `${result.checkpoint}, of ${result.createdAt}`],
    ["database", result.database],
    ...describeSchema(result, isDone ? "before" : "now"),
    ["project", describeFiles(result)],
    ...result.differences.map(text => [isDone ? "differed" : "differs", text] as const),
    ...describeKept(result),
    [
      "authority",
      isDone ? `${result.newAuthority}, before ${result.authority}` : `a new one, before ${result.authority}`,
    ],
  ]
}

const projectFiles = {
  restored: "svc.config.yml, package.json, lockfile",
  compared: "the same as here, which is read-only",
  kept: "left as they are",
} as const

const describeFiles = ({projectFiles: what, isNew}: RestorePlan): string =>
  isNew ? "svc.config.yml, package.json, lockfile, none of which were here" : projectFiles[what]

const describeKept = (result: Restored | RestorePlan): Rows => {
  const place = "held" in result ? result.keptConfiguration : `svc.config.yml.before-${result.checkpoint}`
  const name = "held" in result ? "kept" : "would keep"
  return result.replacesConfiguration && place !== null ? [[name, `the replaced configuration, as ${place}`]] : []
}

const outcome = ({held, notes}: Restored): Rows => [
  [
    "held",
    `${counted(held.outbox, "message")} (svc outbox list --state held), ${counted(held.inbox, "handler")} (svc inbox list --state held), ${counted(held.agents, "run")} of agents (svc agent runs --state held)`,
  ],
  ["settled", `${counted(held.settled, "row")} that the replaced state had sent, handled or ended since`],
  ...notes.map(text => ["note", text] as const),
]
