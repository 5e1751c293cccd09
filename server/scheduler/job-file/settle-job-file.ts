import {type Database, schemaOf} from "../../database/database.ts"
import type {JobFileContent} from "./job-file.ts"
import {missingFile, readJobFile, requireAuthority, writeJobFile} from "./job-store.ts"

/** In `svc_meta`: the project has had a job file. */
const seenKey = "jobs.file"

/**
 * The job file that this start runs; undefined where the project has never had one. One that a user wrote is stamped with
 * the authority when it is the first. Throws `authority_mismatch`, and `jobs_invalid` where the file is damaged or lost.
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
  // Stamped before it counts as seen: a start that is killed in between stamps it again.
  const stamped = content.authority === undefined ? await writeJobFile(path, authority, content.jobs) : content
  if (!hadFile) await recordJobFile(database)
  return stamped
}

/** Has the project had a job file? Of a database of whatever schema. */
export const hasHadJobFile = async (database: Pick<Database, "read" | "state">): Promise<boolean> =>
  schemaOf(database) > 0 && (await database.read("SELECT 1 FROM svc_meta WHERE key = ?", [seenKey])).length > 0

/** From now on a project without a job file has lost it. */
export const recordJobFile = async (database: Database): Promise<void> => {
  await database.write([
    {sql: "INSERT INTO svc_meta (key, value) VALUES (?, '1') ON CONFLICT (key) DO NOTHING", args: [seenKey]},
  ])
}
