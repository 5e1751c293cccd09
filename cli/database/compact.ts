import {Command, Option} from "clipanion"
import {compactStopped} from "../../server/offline/database.ts"
import type {Compacted, CompactTask} from "../../shared/api/database.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {bytes} from "../kit/bytes.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import type {HostClient} from "../kit/host-client.ts"
import {counted} from "../kit/print.ts"

export class DatabaseCompact extends CheckpointCommand {
  static override paths = [["database", "compact"]]
  static override usage = Command.Usage({
    description: "give what is unused inside of the database file back to the disk",
    details: `
      A running Host drops what it keeps no longer, then gives unused pages back a little at a time: writers wait for milliseconds. This command shows how far it is. The Host goes on if the command is interrupted, and \`--follow\` shows it again.

      Without one, the command writes a new file beside the old one, checks it, and puts it in its place: that takes as much free space as the database uses, and orders it again. Killed at any moment, the file is wholly the old one or wholly the new one.
    `,
    examples: [
      ["What it would give back", "svc database compact --dry-run"],
      ["Running or stopped", "svc database compact"],
      ["How far the running Host is", "svc database compact --follow"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only say what it would give back"})

  follows = Option.Boolean("--follow", false, {description: "Begin nothing: follow what the running Host does"})

  async run(): Promise<ExitCode> {
    const host = await this.host()
    const done = host === undefined ? await this.#here() : await this.#ask(host)
    this.show(done, () => describeCompaction(done))
    return exit.ok
  }

  #here(): Promise<Compacted> {
    if (this.follows) throw new Problem("host_unreachable", `no Host runs for ${this.folder}`)
    return compactStopped(this.stopped, this.dryRun)
  }

  async #ask(host: HostClient): Promise<Compacted> {
    if (this.dryRun) return host.post<Compacted>("/api/database/compact", {dryRun: true})
    const ask = async () => (await host.get<{task: CompactTask | null}>("/api/database/compaction")).task
    const begun = this.follows ? await ask() : await host.post<CompactTask>("/api/database/compact", {})
    const ended = begun === null ? null : await this.follow(begun, ask)
    if (ended?.result) return ended.result
    throw new Problem("conflict", "the running Host knows of no compaction", {
      hint: "Run svc database compact again: what was given back stays given back.",
    })
  }
}

const describeCompaction = ({dryRun, dropped, before, after}: Compacted): string => {
  const sizes = `${bytes(before)} → ${bytes(after)}`
  if (dryRun) return `would compact: ${sizes} or less`
  return `compacted: ${sizes}${dropped === 0 ? "" : `, ${counted(dropped, "row")} dropped before`}`
}
