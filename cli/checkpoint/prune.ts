import {Command, Option} from "clipanion"
import {holding} from "../../server/project/held.ts"
import {pruneCheckpoints} from "../../server/recovery/checkpoint/prune.ts"
import {neededCheckpoints} from "../../server/recovery/release/history.ts"
import {ReleaseRecord} from "../../server/recovery/release/record.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"

export class CheckpointPrune extends CheckpointCommand {
  static override paths = [["checkpoint", "prune"]]
  static override usage = Command.Usage({
    description: "remove all but the newest checkpoints",
    details: `
      The newest verified one stays in any case, and so does that of a release which is under way or observed.

      Uploaded checkpoints are counted apart: as many of them stay as of those that were made here.
    `,
    examples: [["All but three", "svc checkpoint prune --keep 3"]],
  })

  keep = Option.String("--keep", {required: true, description: "How many stay"})

  async run(): Promise<ExitCode> {
    const keep = Number(this.keep)
    if (!Number.isSafeInteger(keep) || keep < 1)
      throw new Problem("request_invalid", `--keep is a number above 0, not "${this.keep}"`)
    const host = await this.host()
    const removed =
      host === undefined
        ? await holding(this.stopped, async () => {
            await this.store.cleanUp()
            const needed = neededCheckpoints(await new ReleaseRecord(this.places.releases).read(), Date.now())
            return pruneCheckpoints(this.store, {keep, spared: id => needed.has(id)})
          })
        : (await host.post<{removed: readonly string[]}>("/api/checkpoints/prune", {keep})).removed
    this.show({removed}, () => (removed.length === 0 ? "nothing was removed" : `removed ${removed.join(", ")}`))
    return exit.ok
  }
}
