import {Command, Option} from "clipanion"
import {infoStopped} from "../../server/project/offline/database.ts"
import type {DatabaseInfo} from "../../shared/api/database.ts"
import {bytes, facts, table} from "../kit/print.ts"
import {StoppableCommand} from "../kit/stoppable-command.ts"

export class DatabaseInfoCommand extends StoppableCommand {
  static override usage = Command.Usage({
    description: "show the size and growth of the database, and what retention deleted",
    details: `
      Works with the Host running or stopped. Growth is measured over the last seven days at most, and known after the first hour.

      \`--tables\` counts the rows and bytes of each table in a separate process, which reads the entire file.
    `,
    examples: [
      ["Size, growth, and days until the disk is full", "svc database info"],
      ["Table by table", "svc database info --tables"],
      ["As JSON", "svc database info --json"],
    ],
  })

  tables = Option.Boolean("--tables", false, {description: "Count the rows and bytes of each table"})

  async run(): Promise<void> {
    const host = await this.host()
    const info =
      host === undefined
        ? await infoStopped(this.stopped, this.tables)
        : await host.get("/api/database", {tables: this.tables || undefined})
    this.show(info, describeInfo)
  }
}

const describeInfo = (info: DatabaseInfo): string =>
  [
    facts([
      ...(info.storage === null ? ([["database", "remote"]] as const) : describeStorage(info.storage)),
      ["files", `${info.files.count}, ${bytes(info.files.bytes)} of ${bytes(info.files.quota)}`],
      [
        "growth",
        info.growth === null
          ? "not known yet"
          : `${bytes(info.growth.bytesPerDay)} a day, over ${info.growth.days} days`,
      ],
      [
        "disk",
        `${bytes(info.disk.free)} free; ingress pauses below ${bytes(info.disk.pauseBelow)}, resumes at ${bytes(info.disk.resumeAt)}`,
      ],
      ["paused in", info.daysLeft === null ? null : `${info.daysLeft} days, at this rate of growth`],
    ]),
    table(
      ["kept", "for", "rows at most", "dropped", "undelivered", "last"],
      info.retention.map(({part, age, rows, dropped, undelivered, lastAt}) => [
        part,
        age === "0s" ? "forever" : age,
        rows === null ? "" : String(rows),
        String(dropped),
        String(undelivered),
        lastAt ?? "never",
      ]),
    ),
    ...(info.tables === undefined
      ? []
      : [
          table(
            ["table", "rows", "size"],
            info.tables.map(({name, rows, bytes: size}) => [name, String(rows), bytes(size)]),
          ),
        ]),
  ].join("\n\n")

const describeStorage = ({file, log, used, unused}: NonNullable<DatabaseInfo["storage"]>) =>
  [
    ["file", `${bytes(file)}: ${bytes(used)} used, ${bytes(unused)} unused`],
    ["log", bytes(log)],
  ] as const
