import {Command} from "clipanion"
import {acceptOlder} from "../../server/project/offline/database.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {describeOutcome} from "../kit/checkpoint/view.ts"
import {facts} from "../kit/print.ts"
import {restorePoint} from "../kit/stoppable-command.ts"

export class DatabaseAcceptOlder extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "continue with an older copy of the database, without what it lacks; the Host must be stopped",
    details: `
      A start refuses an older copy (\`database_older\`): events that the Host had acknowledged are missing from it. This command accepts their loss. It creates a checkpoint of the copy and restores it.

      The database gets a new authority, and so a new epoch: clients of the event stream learn that events are missing, and endpoints list a gap. Unsent messages and unhandled events are held, as after any restore: \`svc outbox release --held\` and \`svc inbox release --held\` continue with them, \`discard --held\` drops them.
    `,
    examples: [
      ["After a look at what is missing", "svc doctor && svc database accept-older"],
      ["A remote database, after its backup", "svc database accept-older --external-restore-point 2026-11-21T10:00"],
    ],
  })

  restorePoint = restorePoint

  async run(): Promise<void> {
    const done = await this.withProgress(progress =>
      acceptOlder(this.stopped, {
        progress,
        ...(this.restorePoint === undefined ? {} : {restorePoint: this.restorePoint}),
      }),
    )
    this.show(done, () =>
      facts([
        ["accepted", done.missing],
        ["checkpoint", done.checkpoint],
        ["authority", `${done.newAuthority}, before ${done.authority}`],
        ...describeOutcome(done),
        ["next", "svc doctor, then svc runtime start; then release or discard the held work"],
      ]),
    )
  }
}
