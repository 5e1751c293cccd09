import {type Database, schemaOf} from "../../database/database.ts"
import type {JobFileContent} from "./job-file.ts"
import {missingFile, readJobFile, requireAuthority, writeJobFile} from "./job-store.ts"

/** The key in `svc_meta` that records that the project has had a job file. */
const seenKey = "jobs.file"

/**
 * Returns the job file of this start; undefined if the project has never had one. The first file that a user wrote gets
 * the authority. Throws `authority_mismatch`, and `jobs_invalid` if the file is damaged or lost.
 */
export const settleJobFile = async (
  database: Database,
  path: string,
  authority: string,
): Promise<JobFileContent | undefined> => {
  const hadFile = await hasHadJobFile(database)
  const content = await readJobFile(path)
  if (content === undefined) {
    if (hadFile) throw missingFile(authority)
    return undefined
  }
  requireAuthority(content, authority, hadFile)
  // The authority is written before the file counts as seen: a start that is killed in between writes it again.
  const stamped = content.authority === undefined ? await writeJobFile(path, authority, content.jobs) : content
  if (!hadFile) await recordJobFile(database)
  return stamped
}

/** Returns whether the project has had a job file, for a database of any schema version. */
export const hasHadJobFile = async (database: Pick<Database, "read" | "state">): Promise<boolean> =>
  schemaOf(database) > 0 && (await database.read("SELECT 1 FROM svc_meta WHERE key = ?", [seenKey])).length > 0

/** Records that the project has a job file. From then on, a missing file counts as lost. */
export const recordJobFile = async (database: Database): Promise<void> => {
  await database.write([
    {sql: "INSERT INTO svc_meta (key, value) VALUES (?, '1') ON CONFLICT (key) DO NOTHING", args: [seenKey]},
  ])
}
