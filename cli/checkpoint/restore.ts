import {Command, Option} from "clipanion"
import {restoreStopped} from "../../server/offline/checkpoint.ts"
import type {Restored, RestorePlan} from "../../server/recovery/restore/restore.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {withCheckpoint} from "../kit/checkpoint/open.ts"
import {describeSchema} from "../kit/checkpoint/schema.ts"
import {counted, facts} from "../kit/print.ts"

export class CheckpointRestore extends CheckpointCommand {
  static override paths = [["checkpoint", "restore"]]
  static override usage = Command.Usage({
    description: "put a checkpoint in the place of the project's state; the Host must be stopped",
    details: `
      Verifies it first. Wherever this is cut off, the next command or start finishes it or takes it back: the project is wholly as before, or wholly the checkpoint's.

      The restored state gets an authority of its own, and sends and handles nothing by itself: what was unsent or unhandled is held, until \`svc outbox release --held\` and \`svc inbox release --held\`, or \`discard --held\`.

      Configuration, package.json and lockfile are restored too. Where the project is read-only, they and the commit must be those of the checkpoint.
    `,
    examples: [
      ["What it would do", "svc checkpoint restore newest --dry-run"],
      ["One of the project's own", "svc checkpoint restore 20261121-101500-3f9a1c"],
      ["An archive, into a folder that is empty", "svc checkpoint restore /backup/bot.tar.gz --project ./bot"],
    ],
  })

  checkpoint = Option.String({name: "checkpoint"})
  dataOnly = Option.Boolean("--data-only", false, {
    description: "Leave configuration, package.json and lockfile as they are",
  })
  dryRun = Option.Boolean("--dry-run", false, {description: "Only say what it would do"})

  async run(): Promise<ExitCode> {
    const result = await this.withProgress(progress =>
      withCheckpoint(
        this.checkpoint,
        {store: this.store, temporary: this.places.temporary, input: process.stdin, progress},
        found => restoreStopped(this.stopped, found, {dataOnly: this.dataOnly, dryRun: this.dryRun, progress}),
      ),
    )
    this.show(result, () => describeRestore(result))
    return exit.ok
  }
}

const projectFiles = {
  restored: "restored: svc.config.yml, package.json, lockfile",
  compared: "the same as here, which is read-only",
  kept: "left as they are",
} as const

const describeRestore = (result: Restored | RestorePlan): string => {
  const isDone = "held" in result
  return facts([
    [isDone ? "restored" : "would restore", `${result.checkpoint}, of ${result.createdAt}`],
    ["database", result.database],
    ...describeSchema(result, isDone ? "before" : "now"),
    ["project", projectFiles[result.projectFiles]],
    ...result.differences.map(text => [isDone ? "differed" : "differs", text] as const),
    [
      "authority",
      isDone ? `${result.newAuthority}, before ${result.authority}` : `a new one, before ${result.authority}`,
    ],
    ...(isDone ? outcome(result) : []),
  ])
}

const outcome = ({held, notes}: Restored): readonly (readonly [string, string])[] => [
  [
    "held",
    `${counted(held.outbox, "message")} (svc outbox list --state held), ${counted(held.inbox, "handler")} (svc inbox list --state held)`,
  ],
  ["settled", `${counted(held.settled, "row")} that the replaced state had sent or handled since`],
  ...notes.map(text => ["note", text] as const),
  ["next", "svc doctor, then svc runtime start; then release or discard what is held"],
]
