import {Command, Option} from "clipanion"
import {compactStopped} from "../../server/project/offline/database.ts"
import type {Compacted} from "../../shared/api/database.ts"
import {Problem} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import type {HostClient} from "../kit/host-client.ts"
import {bytes, counted} from "../kit/print.ts"

export class DatabaseCompact extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "return unused space in the database file to the disk",
    details: `
      A running Host first deletes the rows whose retention has ended. It then returns unused pages in small steps, so writers wait only milliseconds. The command shows the progress. If you interrupt it, the Host continues, and \`--follow\` shows the progress again.

      If the Host is stopped, the command writes a new file beside the old one, checks it, and replaces the old file. That needs as much free space as the database uses. If it is killed, the file is entirely the old one or entirely the new one.
    `,
    examples: [
      ["How much space it would return", "svc database compact --dry-run"],
      ["Compact, with the Host running or stopped", "svc database compact"],
      ["The progress in the running Host", "svc database compact --follow"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only print how much space it would return"})

  follows = Option.Boolean("--follow", false, {description: "Start nothing: show the progress in the running Host"})

  async run(): Promise<void> {
    const host = await this.host()
    const done = host === undefined ? await this.#here() : await this.#ask(host)
    this.show(done, describeCompaction)
  }

  #here(): Promise<Compacted> {
    if (this.follows) throw new Problem("host_unreachable", `no Host is running for ${this.folder}`)
    return compactStopped(this.stopped, this.dryRun)
  }

  async #ask(host: HostClient): Promise<Compacted> {
    const ask = async () => (await host.get("/api/database/compaction")).task
    const dryRun = this.dryRun || undefined
    const begun =
      this.follows && !this.dryRun ? await ask() : await host.post("/api/database/compact", {body: {dryRun}})
    if (begun !== null && "before" in begun) return begun
    const ended = begun === null ? null : await this.follow(begun, ask)
    if (ended?.result) return ended.result
    throw new Problem("conflict", "the running Host has no record of a compaction", {
      hint: "Run svc database compact again. It continues with the space that is not yet returned.",
    })
  }
}

const describeCompaction = ({dryRun, dropped, before, after}: Compacted): string => {
  const sizes = `${bytes(before)} → ${bytes(after)}`
  if (dryRun) return `would compact: ${sizes} or less`
  return `compacted: ${sizes}${dropped === 0 ? "" : `, ${counted(dropped, "row")} deleted first`}`
}
