import {readdir} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {Database} from "../../database/database.ts"
import {storedName} from "../../outbox/files/folder.ts"
import {type FileRow, hasFileTable, readFiles, readUsage} from "../../outbox/files/rows.ts"
import type {FileStore} from "../../outbox/files/store.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {completeIn} from "../checkpoint/complete.ts"
import type {Participant} from "../checkpoint/participant.ts"
import type {PartRule} from "./rule.ts"

const name = "files"

/** The folder in a checkpoint for the content of the project's `data/files/`. */
const folder = "files"

/** Returns whether a file of a checkpoint belongs to messages. There may be many, and nothing opens them for writing. */
export const isMessageFile = (path: string): boolean => path.startsWith(`${folder}/`)

/** How many rows to read at a time. */
const chunk = 500

/** The blocks in which file systems store files, in bytes. */
const block = 4096

/**
 * The files of messages. `store` belongs to a running Host, and deletes no file during the creation. Checkpoints share equal
 * files by hard links with each other, but never with `data/files/`: damage there would also damage the backup.
 */
export const filesParticipant = (
  {files, checkpoints}: ProjectPaths,
  database: Database,
  store?: Pick<FileStore, "hold">,
): Participant => ({
  name,
  begin: async () => (await store?.hold()) ?? (() => {}),
  room: async () => {
    const [newest = ""] = await completeIn(checkpoints)
    let bytes = 0
    let part = ""
    let there = new Set<string>()
    for await (const rows of rowsOf(database)) {
      for (const {sha256, size} of rows) {
        const next = dirname(join(newest, folder, storedName(sha256)))
        if (next !== part) there = new Set(await readdir(next).catch(() => []))
        part = next
        if (!there.has(sha256)) bytes += Math.ceil(size / block) * block
      }
    }
    return bytes
  },
  mark: async () => ((await hasFileTable(database)) ? readUsage(database) : null),
  // Later files are in the checkpoint too; a Host deletes them again if no message needs them.
  copies: async function* () {
    for await (const rows of rowsOf(database)) {
      const names = rows.map(({sha256}) => ({sha256, name: storedName(sha256)}))
      yield names.map(({sha256, name}) => ({from: join(files, name), path: `${folder}/${name}`, sha256}))
    }
  },
})

/** Yields the rows in the order of their hashes, and never an empty batch. */
async function* rowsOf(database: Database): AsyncGenerator<readonly FileRow[]> {
  if (!(await hasFileTable(database))) return
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows = await readFiles(database, after, chunk)
    if (rows.length > 0) yield rows
    after = rows.length < chunk ? undefined : rows.at(-1)?.sha256
  }
}

export const filesRule: PartRule = {
  name,
  placeOf: (path, {files}) => (isMessageFile(path) ? join(files, path.slice(folder.length + 1)) : undefined),
  places: ({files}) => [files],
  check: async ({database, sha256}) => {
    if (database === undefined) return []
    const findings: string[] = []
    for await (const rows of rowsOf(database))
      for (const row of rows) {
        const found = sha256(`${folder}/${storedName(row.sha256)}`)
        if (found === undefined) findings.push(`the file ${row.sha256} is missing`)
        else if (found !== row.sha256) findings.push(`the file ${row.sha256} is damaged: its content has changed`)
      }
    return findings.length <= mostNamed
      ? findings
      : [...findings.slice(0, mostNamed), `and ${findings.length - mostNamed} more files`]
  },
  adopt: async () => {},
}

/** The most files that the findings name. */
const mostNamed = 5
