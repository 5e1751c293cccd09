import {relative, resolve} from "node:path"
import {Command, Option} from "clipanion"
import type {Rescued} from "../../shared/api/database.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {bytes} from "../kit/bytes.ts"
import {connectHost} from "../kit/host-client.ts"
import {counted} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class DatabaseRescue extends DataCommand {
  static override paths = [["database", "rescue"]]
  static override usage = Command.Usage({
    description: "let the running Host write a database whose file was removed or replaced into a new file",
    details: `
      A Host whose database file was removed or replaced still has the old one open, and nobody else can reach it: the Host stays up, not ready, and takes nothing. This asks it to write everything that it holds into a new file, then prints the commands that put that file in place.

      The Host answers nothing while it writes. A Host that is stopped with SIGTERM writes the file by itself first; one that is killed loses the data.
    `,
    examples: [
      ["Into the project's data/", "svc database rescue"],
      ["Onto another disk", "svc database rescue --to /mnt/spare/rescued.sqlite"],
    ],
  })

  to = Option.String("--to", {description: "The new file (default: data/rescued-<time>-<pid>.sqlite)"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const to = this.to === undefined ? {} : {to: resolve(this.to)}
    const rescued = await host.post<Rescued>("/api/database/rescue", to)
    this.show(rescued, () => this.#describe(rescued))
    return exit.ok
  }

  #describe({path, size, rows, database}: Rescued): string {
    const [from, into] = [path, database].map(file => quote(this.#shown(file)))
    return [
      `rescued ${counted(rows, "row")}, ${bytes(size)}, into ${this.#shown(path)}`,
      "",
      "Put it in place, in the project's folder, with the Host stopped:",
      "",
      "  svc runtime stop",
      `  mkdir -p ${quote(this.#shown(resolve(database, "..")) || ".")}`,
      `  [ ! -e ${into} ] || mv ${into} ${quote(`${this.#shown(database)}.before-rescue`)}`,
      `  rm -f ${quote(`${this.#shown(database)}-wal`)} ${quote(`${this.#shown(database)}-shm`)}`,
      `  mv ${from} ${into}`,
      "  svc runtime start --mode production --no-watch",
      "",
      "Where a service manager or a container engine owns the Host, stop and start it there.",
    ].join("\n")
  }

  /** Relative to the project's folder where it is in it. */
  #shown(path: string): string {
    const within = relative(this.folder, path)
    return within.startsWith("..") ? path : within
  }
}

/** For a POSIX shell. */
const quote = (text: string): string => (/^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
