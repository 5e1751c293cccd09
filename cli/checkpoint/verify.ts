import {Command, Option} from "clipanion"
import {remoteCopyAt, secretsFor} from "../../server/project/offline/checkpoint.ts"
import {verifyCheckpoint} from "../../server/recovery/verify/verify.ts"
import type {Verification} from "../../shared/api/checkpoint.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {withCheckpoint} from "../kit/checkpoint/open.ts"
import {warningsOf} from "../kit/checkpoint/view.ts"

export class CheckpointVerify extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "restore a checkpoint into a scratch folder, and report every fault",
    details: "Exits 0 if the checkpoint can be restored, and 1 if it cannot. Warnings do not prevent a restore.",
    examples: [
      ["The newest checkpoint", "svc checkpoint verify"],
      ["With a copy of the remote database", "svc checkpoint verify --database-url http://127.0.0.1:8081"],
      ["An archive", "svc checkpoint verify /backup/bot.tar.gz"],
    ],
  })

  databaseUrl = Option.String("--database-url", {
    description:
      "Dialect libsql: the address of a database restored from its own backup; its token in SVC_DATABASE_TOKEN",
  })
  checkpoint = Option.String({name: "checkpoint", required: false})

  async run(): Promise<boolean> {
    const name = this.checkpoint ?? "newest"
    const {id, verification, more} = await this.withProgress(progress =>
      withCheckpoint(
        name,
        {store: this.store, temporary: this.places.temporary, input: process.stdin, progress},
        async found => {
          const {id} = found.manifest
          const more = warningsOf(found.manifest)
          const host = found.isForeign || this.databaseUrl !== undefined ? undefined : await this.host()
          if (host !== undefined) {
            await this.awaitTask(host, await host.post("/api/checkpoints/:id/verify", {id}))
            return {id, more, verification: (await this.store.get(id)).verification}
          }
          const secrets = await secretsFor(this.stopped, found)
          const verification = await verifyCheckpoint(found, {
            temporary: this.places.temporary,
            secrets,
            progress,
            ...(this.databaseUrl === undefined ? {} : {remoteCopy: remoteCopyAt(this.databaseUrl)}),
          })
          if (!found.isForeign) await this.store.keepVerification(id, verification)
          return {id, more, verification}
        },
      ),
    )
    if (verification === undefined) throw new Problem("checkpoint_failed", `${id} changed during its verification`)
    const shown = {...verification, warnings: [...verification.warnings, ...more]}
    this.show({id, ...shown}, () => describeVerification(id, shown))
    return verification.ok
  }
}

const describeVerification = (id: string, {ok, findings, warnings, seconds}: Verification): string =>
  [
    `${id} ${ok ? "can be restored" : "CANNOT be restored"} (${seconds.toFixed(1)} s)`,
    ...findings.map(text => `  finding: ${text}`),
    ...warnings.map(text => `  warning: ${text}`),
  ].join("\n")
