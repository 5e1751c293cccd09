import {Command, Option} from "clipanion"
import {createStopped, secretsFor} from "../../server/project/offline/checkpoint.ts"
import {writeArchive} from "../../server/recovery/checkpoint/archive.ts"
import {detailOf, type StoredCheckpoint} from "../../server/recovery/checkpoint/store.ts"
import {verifyCheckpoint} from "../../server/recovery/verify/verify.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {describeCheckpoint} from "../kit/checkpoint/view.ts"
import type {HostClient} from "../kit/host-client.ts"
import {restorePoint} from "../kit/stoppable-command.ts"

export class CheckpointCreate extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "create and verify a checkpoint of database, workroom, jobs, configuration and lockfile",
    details: `
      A running Host creates the checkpoint without interruption; if none runs, this command does. The checkpoint is stored in \`.svc/checkpoints/\` and contains no secrets.

      Exits 1 if the checkpoint was created but cannot be restored.
    `,
    examples: [
      ["Create a checkpoint", "svc checkpoint create"],
      ["Also write it to another disk", "svc checkpoint create --output /backup/bot.tar.gz"],
      ["Send it to another machine", "svc checkpoint create --output - | ssh backup 'cat > bot.tar'"],
      ["A remote database, after its backup", "svc checkpoint create --external-restore-point 2026-11-21T10:00:00Z"],
    ],
  })

  output = Option.String("--output", {description: "Also write an archive: .tar or .tar.gz, or - for standard output"})
  restorePoint = restorePoint
  verify = Option.Boolean("--verify", true, {description: "Verify it (default); --no-verify skips that"})

  async run(): Promise<boolean> {
    const host = await this.host()
    const id = host === undefined ? await this.#createHere() : await this.#ask(host)
    const stored = await this.store.get(id)
    if (this.output !== undefined) await this.#write(stored, this.output)
    // Standard output carries the archive.
    if (this.output === "-") this.tell(id)
    else this.show(detailOf(stored), () => describeCheckpoint(stored))
    return stored.verification?.ok !== false
  }

  async #createHere(): Promise<string> {
    return this.withProgress(async progress => {
      const restorePoint = this.restorePoint === undefined ? {} : {restorePoint: this.restorePoint}
      const created = await createStopped(this.stopped, {reason: "operator", ...restorePoint, progress})
      if (!this.verify) return created.id
      const secrets = await secretsFor(this.stopped, created)
      const verification = await verifyCheckpoint(created, {temporary: this.places.temporary, secrets, progress})
      await this.store.keepVerification(created.id, verification)
      return created.id
    })
  }

  async #ask(host: HostClient): Promise<string> {
    const begun = await host.post("/api/checkpoints", {
      body: {verify: this.verify, externalRestorePoint: this.restorePoint},
    })
    await this.awaitTask(host, begun)
    return begun.id
  }

  #write(stored: StoredCheckpoint, output: string): Promise<void> {
    return this.withProgress(show => writeArchive(stored, output === "-" ? this.context.stdout : output, show))
  }
}
