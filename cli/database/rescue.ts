import {relative, resolve} from "node:path"
import {Option} from "clipanion"
import type {Rescued} from "../../shared/api/database.ts"
import {bytes, counted} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"

export const rescue = rowCommand({
  description: "save the database of a running Host whose database file is lost or damaged",
  details: `
      If the database file is removed, replaced or truncated, the running Host still has the old file open or its pages in memory, and no other process can reach them. The Host keeps running, reports that it is not ready, and accepts no events. This command makes the Host write all data into a new file, then prints the commands that put that file in place.

      The Host answers no requests while it writes. On SIGTERM the Host writes the file before it exits; a Host that is killed loses the data.
    `,
  examples: [
    ["Into the project's data/", "svc database rescue"],
    ["Onto another disk", "svc database rescue --to /mnt/spare/rescued.sqlite"],
  ],
  options: {to: Option.String("--to", {description: "The new file (default: data/rescued-<time>-<pid>.sqlite)"})},
  run: async given => {
    const to = given.to === undefined ? undefined : resolve(given.to)
    const rescued = await given.post("/api/database/rescue", {body: {to}})
    given.show(rescued, () => describe(rescued, given.folder))
  },
})

const describe = ({path, size, rows, database}: Rescued, folder: string): string => {
  const shown = (file: string) => within(folder, file)
  const [from, into] = [path, database].map(file => quote(shown(file)))
  return [
    `rescued ${counted(rows, "row")}, ${bytes(size)}, into ${shown(path)}`,
    "",
    "To put it in place, run these commands in the project's folder:",
    "",
    "  svc runtime stop",
    `  mkdir -p ${quote(shown(resolve(database, "..")) || ".")}`,
    `  [ ! -e ${into} ] || mv ${into} ${quote(`${shown(database)}.before-rescue`)}`,
    `  rm -f ${quote(`${shown(database)}-wal`)} ${quote(`${shown(database)}-shm`)}`,
    `  mv ${from} ${into}`,
    "  svc runtime start --mode production --no-watch",
    "",
    "If a service manager or a container engine runs the Host, stop and start it there.",
  ].join("\n")
}

/** Returns the path relative to a folder, if it is inside. */
const within = (folder: string, path: string): string => {
  const inside = relative(folder, path)
  return inside.startsWith("..") ? path : inside
}

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => (/^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
