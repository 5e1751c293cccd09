import {relative, resolve} from "node:path"
import {Command, Option} from "clipanion"
import type {Rescued} from "../../shared/api/database.ts"
import {bytes, counted} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class DatabaseRescue extends DataCommand {
  static override usage = Command.Usage({
    description: "save the database of a running Host whose database file is lost or damaged",
    details: `
      If the database file is removed, replaced or truncated, the running Host still has the old file open or its pages in memory, and no other process can reach them. The Host keeps running, reports that it is not ready, and accepts no events. This command makes the Host write all data into a new file, then prints the commands that put that file in place.

      The Host answers no requests while it writes. On SIGTERM the Host writes the file before it exits; a Host that is killed loses the data.
    `,
    examples: [
      ["Into the project's data/", "svc database rescue"],
      ["Onto another disk", "svc database rescue --to /mnt/spare/rescued.sqlite"],
    ],
  })

  to = Option.String("--to", {description: "The new file (default: data/rescued-<time>-<pid>.sqlite)"})

  async run(): Promise<void> {
    const to = this.to === undefined ? {} : {to: resolve(this.to)}
    const rescued = await this.post<Rescued>("/api/database/rescue", to)
    this.show(rescued, () => this.#describe(rescued))
  }

  #describe({path, size, rows, database}: Rescued): string {
    const [from, into] = [path, database].map(file => quote(this.#shown(file)))
    return [
      `rescued ${counted(rows, "row")}, ${bytes(size)}, into ${this.#shown(path)}`,
      "",
      "To put it in place, run these commands in the project's folder:",
      "",
      "  svc runtime stop",
      `  mkdir -p ${quote(this.#shown(resolve(database, "..")) || ".")}`,
      `  [ ! -e ${into} ] || mv ${into} ${quote(`${this.#shown(database)}.before-rescue`)}`,
      `  rm -f ${quote(`${this.#shown(database)}-wal`)} ${quote(`${this.#shown(database)}-shm`)}`,
      `  mv ${from} ${into}`,
      "  svc runtime start --mode production --no-watch",
      "",
      "If a service manager or a container engine runs the Host, stop and start it there.",
    ].join("\n")
  }

  /** Returns the path relative to the project's folder, if it is inside. */
  #shown(path: string): string {
    const within = relative(this.folder, path)
    return within.startsWith("..") ? path : within
  }
}

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => (/^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
