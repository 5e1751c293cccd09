import {Command, Option} from "clipanion"
import {createStopped, secretsFor} from "../../server/offline/checkpoint.ts"
import {writeArchive} from "../../server/recovery/checkpoint/archive.ts"
import {detailOf, type StoredCheckpoint} from "../../server/recovery/checkpoint/store.ts"
import {verifyCheckpoint} from "../../server/recovery/verify/verify.ts"
import type {CheckpointTask} from "../../shared/api/checkpoint.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {describeCheckpoint} from "../kit/checkpoint/view.ts"
import type {HostClient} from "../kit/host-client.ts"

export class CheckpointCreate extends CheckpointCommand {
  static override paths = [["checkpoint", "create"]]
  static override usage = Command.Usage({
    description: "save database, workroom, jobs, configuration and lockfile at one point, and verify it",
    details: `
      A running Host makes it, and goes on meanwhile; without one, this command does. It is kept in \`.svc/checkpoints/\`. Secrets are not in it.

      Exits 1 where it was made and is not fit to restore.
    `,
    examples: [
      ["Now", "svc checkpoint create"],
      ["As a file on another disk", "svc checkpoint create --output /backup/bot.tar.gz"],
      ["To another machine", "svc checkpoint create --output - | ssh backup 'cat > bot.tar'"],
      [
        "Of a remote database, after its own backup",
        "svc checkpoint create --external-restore-point 2026-11-21T10:00:00Z",
      ],
    ],
  })

  output = Option.String("--output", {
    description: "Also write it as an archive: .tar or .tar.gz, - for standard output",
  })
  restorePoint = Option.String("--external-restore-point", {
    description: "Dialect libsql: the id of the backup that the database's own tool has made",
  })
  verify = Option.Boolean("--verify", true, {description: "Verify it (default); --no-verify leaves that for later"})

  async run(): Promise<ExitCode> {
    const host = await this.host()
    const id = host === undefined ? await this.#createHere() : await this.#ask(host)
    const stored = await this.store.get(id)
    if (this.output !== undefined) await this.#write(stored, this.output)
    // Standard output is the archive's.
    if (this.output === "-") this.tell(id)
    else this.show(detailOf(stored), () => describeCheckpoint(stored))
    return stored.verification?.ok === false ? exit.failed : exit.ok
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
    const begun = await host.post<CheckpointTask>("/api/checkpoints", {
      verify: this.verify,
      ...(this.restorePoint === undefined ? {} : {externalRestorePoint: this.restorePoint}),
    })
    await this.awaitTask(host, begun)
    return begun.id
  }

  #write(stored: StoredCheckpoint, output: string): Promise<void> {
    return this.withProgress(show => writeArchive(stored, output === "-" ? this.context.stdout : output, show))
  }
}
