import {Command, Option} from "clipanion"
import {remoteCopyAt, secretsFor} from "../../server/offline/checkpoint.ts"
import {verifyCheckpoint} from "../../server/recovery/verify/verify.ts"
import type {CheckpointTask, Verification} from "../../shared/api/checkpoint.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {withCheckpoint} from "../kit/checkpoint/open.ts"

export class CheckpointVerify extends CheckpointCommand {
  static override paths = [["checkpoint", "verify"]]
  static override usage = Command.Usage({
    description: "restore a checkpoint into a scratch folder, and say what is wrong with it",
    details:
      "Exits 0 when it can be restored, and 1 when it cannot. What it warns of does not keep it from being restored.",
    examples: [
      ["The newest one", "svc checkpoint verify"],
      ["With a copy of the remote database", "svc checkpoint verify --database-url http://127.0.0.1:8081"],
      ["An archive", "svc checkpoint verify /backup/bot.tar.gz"],
    ],
  })

  databaseUrl = Option.String("--database-url", {
    description: "Dialect libsql: where the database's own backup was restored to; its token in SVC_DATABASE_TOKEN",
  })
  checkpoint = Option.String({name: "checkpoint", required: false})

  async run(): Promise<ExitCode> {
    const name = this.checkpoint ?? "newest"
    const {id, verification} = await this.withProgress(progress =>
      withCheckpoint(
        name,
        {store: this.store, temporary: this.places.temporary, input: process.stdin, progress},
        async found => {
          const {id} = found.manifest
          const host = found.isForeign || this.databaseUrl !== undefined ? undefined : await this.host()
          if (host !== undefined) {
            await this.awaitTask(host, await host.post<CheckpointTask>(`/api/checkpoints/${id}/verify`))
            return {id, verification: (await this.store.get(id)).verification}
          }
          const secrets = await secretsFor(this.stopped, found)
          const verification = await verifyCheckpoint(found, {
            temporary: this.places.temporary,
            secrets,
            progress,
            ...(this.databaseUrl === undefined ? {} : {remoteCopy: remoteCopyAt(this.databaseUrl)}),
          })
          if (!found.isForeign) await this.store.keepVerification(id, verification)
          return {id, verification}
        },
      ),
    )
    if (verification === undefined) throw new Problem("checkpoint_failed", `${id} changed while it was verified`)
    this.show({id, ...verification}, () => describeVerification(id, verification))
    return verification.ok ? exit.ok : exit.failed
  }
}

const describeVerification = (id: string, {ok, findings, warnings, seconds}: Verification): string =>
  [
    `${id} ${ok ? "can be restored" : "is NOT fit to restore"} (${seconds.toFixed(1)} s)`,
    ...findings.map(text => `  finding: ${text}`),
    ...warnings.map(text => `  warning: ${text}`),
  ].join("\n")
