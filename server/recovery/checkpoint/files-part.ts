import {link, readdir, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {CheckpointFile} from "../../../shared/api/checkpoint.ts"
import type {Database} from "../../database/database.ts"
import {storedName} from "../../files/folder.ts"
import {type FileRow, hasFileTable, readFiles, readUsage} from "../../files/rows.ts"
import type {FileStore} from "../../files/store.ts"
import {makePrivateFolder} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {type Copied, copyFile, hashFile} from "./files.ts"
import {manifestName} from "./manifest.ts"
import type {PartRule} from "./part-rule.ts"
import type {Participant} from "./participant.ts"

const name = "files"

/** The folder in a checkpoint for the content of the project's `data/files/`. */
const folder = "files"

/** How many rows to read at a time. */
const chunk = 500

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
    const before = await earlier(checkpoints)
    let bytes = 0
    for await (const {sha256, size} of rowsOf(database)) if (!(await isIn(before[0], sha256))) bytes += size
    return bytes
  },
  hold: async () => () => {},
  mark: async () => ((await hasFileTable(database)) ? readUsage(database) : null),
  // Later files are in the checkpoint too; a Host deletes them again if no message needs them.
  complete: async target => {
    const before = (await earlier(checkpoints)).filter(each => each !== target)
    const known: CheckpointFile[] = []
    for await (const {sha256} of rowsOf(database)) {
      const copied = await take(join(files, storedName(sha256)), join(target, folder), sha256, before)
      if (copied !== undefined) known.push({path: `${folder}/${storedName(sha256)}`, ...copied})
    }
    return known
  },
})

async function* rowsOf(database: Database): AsyncGenerator<FileRow> {
  if (!(await hasFileTable(database))) return
  for (let after = ""; ; ) {
    const rows = await readFiles(database, after, chunk)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < chunk) return
    after = last.sha256
  }
}

/** Resolves to the folders of complete checkpoints with files, newest first. */
const earlier = async (root: string): Promise<readonly string[]> => {
  const names = await readdir(root).catch(() => [])
  const found: string[] = []
  for (const each of names.sort().reverse()) {
    const path = join(root, each)
    if ((await isThere(join(path, manifestName))) && (await isThere(join(path, folder)))) found.push(path)
  }
  return found
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const isIn = async (checkpoint: string | undefined, sha256: string): Promise<boolean> =>
  checkpoint !== undefined && isThere(join(checkpoint, folder, storedName(sha256)))

/** Links a file from an earlier checkpoint, or copies it. Resolves to undefined if it is missing; the verification reports that. */
const take = async (
  from: string,
  target: string,
  sha256: string,
  before: readonly string[],
): Promise<Copied | undefined> => {
  const to = join(target, storedName(sha256))
  for (const checkpoint of before) {
    const linked = await share(join(checkpoint, folder, storedName(sha256)), to, sha256)
    if (linked !== undefined) return linked
  }
  if (!(await isThere(from))) return undefined
  await makePrivateFolder(dirname(to))
  return copyFile(from, to)
}

/** Links an undamaged file of another checkpoint. Resolves to undefined if there is none, or if links are not possible. */
const share = async (from: string, to: string, sha256: string): Promise<Copied | undefined> => {
  const found = await hashFile(from).catch(() => undefined)
  if (found?.sha256 !== sha256) return undefined
  await makePrivateFolder(dirname(to))
  return link(from, to).then(
    () => found,
    () => undefined,
  )
}

export const filesRule: PartRule = {
  name,
  placeOf: (path, {files}) => (path.startsWith(`${folder}/`) ? join(files, path.slice(folder.length + 1)) : undefined),
  places: ({files}) => [files],
  check: async ({database, sha256}) => {
    if (database === undefined) return []
    const findings: string[] = []
    for await (const row of rowsOf(database)) {
      const found = sha256(`${folder}/${storedName(row.sha256)}`)
      if (found === undefined) findings.push(`the file ${row.sha256} is missing`)
      else if (found !== row.sha256) findings.push(`the file ${row.sha256} is damaged: its content has changed`)
    }
    return summary(findings)
  },
  adopt: async () => {},
}

/** The most files that the findings name. */
const mostNamed = 5

const summary = (findings: readonly string[]): readonly string[] =>
  findings.length <= mostNamed
    ? findings
    : [...findings.slice(0, mostNamed), `and ${findings.length - mostNamed} more files`]
