import {Command, Option} from "clipanion"
import {compactStopped} from "../../server/offline/database.ts"
import type {Compacted} from "../../shared/api/database.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {bytes} from "../kit/bytes.ts"
import {counted} from "../kit/print.ts"
import {StoppableCommand} from "../kit/stoppable-command.ts"

export class DatabaseCompact extends StoppableCommand {
  static override paths = [["database", "compact"]]
  static override usage = Command.Usage({
    description: "give what is unused inside of the database file back to the disk",
    details: `
      A running Host drops what it keeps no longer, then gives unused pages back a little at a time: writers wait for milliseconds.

      Without one, the database is written anew beside itself, checked, and put in its place: that takes as much free space as it uses, and orders it again. Killed at any moment, the file is wholly the old one or wholly the new one.
    `,
    examples: [
      ["What it would give back", "svc database compact --dry-run"],
      ["Running or stopped", "svc database compact"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only say what it would give back"})

  async run(): Promise<ExitCode> {
    const host = await this.host()
    const {dryRun} = this
    const done =
      host === undefined
        ? await compactStopped(this.stopped, dryRun)
        : await host.post<Compacted>("/api/database/compact", {dryRun})
    this.show(done, () => describeCompaction(done))
    return exit.ok
  }
}

const describeCompaction = ({dryRun, dropped, before, after}: Compacted): string => {
  const sizes = `${bytes(before)} → ${bytes(after)}`
  if (dryRun) return `would compact: ${sizes} or less`
  return `compacted: ${sizes}${dropped === 0 ? "" : `, ${counted(dropped, "row")} dropped before`}`
}
