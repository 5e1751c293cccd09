import {Command, Option} from "clipanion"
import {holding} from "../../server/project/held.ts"
import {pruneCheckpoints} from "../../server/recovery/checkpoint/prune.ts"
import {neededCheckpoints, ReleaseRecord} from "../../server/recovery/release/record.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"

export class CheckpointPrune extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "delete all but the newest checkpoints",
    details: `
      It never deletes the newest verified checkpoint, nor that of a release that is under way or under observation.

      Uploaded checkpoints are counted separately: \`--keep 3\` keeps three of them, and three that were made here.
    `,
    examples: [["Keep the newest three", "svc checkpoint prune --keep 3"]],
  })

  keep = Option.String("--keep", {required: true, description: "How many checkpoints to keep"})

  async run(): Promise<void> {
    const keep = Number(this.keep)
    if (!Number.isSafeInteger(keep) || keep < 1)
      throw new Problem("request_invalid", `--keep must be a whole number above 0, not "${this.keep}"`)
    const host = await this.host()
    const removed =
      host === undefined
        ? await holding(this.stopped, async () => {
            await this.store.cleanUp()
            const needed = neededCheckpoints(await new ReleaseRecord(this.places.releases).read(), Date.now())
            return pruneCheckpoints(this.store, {keep, spared: id => needed.has(id)})
          })
        : (await host.post("/api/checkpoints/prune", {body: {keep}})).removed
    this.show({removed}, () => (removed.length === 0 ? "deleted nothing" : `deleted ${removed.join(", ")}`))
  }
}
