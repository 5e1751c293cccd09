import {type Database, type Reader, schemaOf} from "../../database/database.ts"
import {readMeta, setMeta} from "../../database/state/meta.ts"
import {readNewestGeneration} from "../../generation/history.ts"
import {readLastCommitted} from "../../generation/last-committed.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {type JobFileContent, parseJobFile} from "./job-file.ts"
import {jobFileName, missingFile, readJobFile, requireAuthority, writeJobFile} from "./job-store.ts"

/**
 * The key in `svc_meta` that records that the project has had a job file. In a remote database the value is the file's
 * text: Hosts on other machines have no such file, or an older one.
 */
const seenKey = "jobs.file"

/**
 * Returns the job file of this start; undefined if the project has never had one. The first file that a user wrote gets
 * the authority. With a remote database, a file that is missing or older than the last run elsewhere is written again
 * from the database, and `tell` says so. Throws `authority_mismatch`, and `jobs_invalid` if the file is damaged or lost.
 */
export const reconcileJobFile = async (
  database: Database,
  {jobs: path, generation}: Pick<ProjectPaths, "jobs" | "generation">,
  authority: string,
  tell: (text: string) => void = () => {},
): Promise<JobFileContent | undefined> => {
  const hadFile = await hasHadJobFile(database)
  const found = await readJobFile(path)
  const isNewest = found !== undefined && (await hasRunLast(database, generation))
  const kept = isNewest ? undefined : await keptJobFile(database)
  const isAgain = kept !== undefined && kept.sha256 !== found?.sha256
  const content = isAgain ? await writeJobFile(path, authority, kept.jobs) : found
  if (isAgain) tell(`wrote ${jobFileName} again from the database, jobs: ${kept.jobs.length}`)
  if (content === undefined) {
    if (hadFile) throw missingFile(authority)
    return undefined
  }
  requireAuthority(content, authority, hadFile)
  // The authority is written before the file counts as seen: a start that is killed in between writes it again.
  const stamped = content.authority === undefined ? await writeJobFile(path, authority, content.jobs) : content
  await recordJobFile(database, stamped)
  return stamped
}

/** Whether the database's last generation was committed in this folder, whose file then has all that happened. */
const hasRunLast = async (database: Reader, generation: string): Promise<boolean> =>
  (await readNewestGeneration(database)) === ((await readLastCommitted(generation))?.number ?? 0)

/** Returns whether the project has had a job file, for a database of any schema version. */
export const hasHadJobFile = async (database: Pick<Database, "read" | "state">): Promise<boolean> =>
  schemaOf(database) > 0 && (await readMeta(database, seenKey)) !== undefined

/** Returns the job file that a remote database keeps; undefined if it keeps none. */
export const keptJobFile = async (database: Pick<Database, "read" | "state">): Promise<JobFileContent | undefined> => {
  if (!(await hasHadJobFile(database))) return undefined
  const kept = await readMeta(database, seenKey)
  return kept === undefined || kept === "1" ? undefined : parseJobFile(jobFileName, kept)
}

/** Records the project's job file. From then on, a missing file counts as lost, unless the database keeps it. */
export const recordJobFile = async (database: Database, {text}: Pick<JobFileContent, "text">): Promise<void> => {
  const value = database.location.dialect === "libsql" ? text : "1"
  await database.write([setMeta(seenKey, value)])
}
