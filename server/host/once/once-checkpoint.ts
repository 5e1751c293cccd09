import {join} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import {schemaOf} from "../../database/database.ts"
import {resolveAuthority} from "../../project/authority.ts"
import {requireOneHistory} from "../../project/one-history.ts"
import type {StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import {countBoxes} from "../../recovery/restore/heads.ts"
import {restoreCheckpoint} from "../../recovery/restore/restore.ts"
import {projectPaths} from "../../runtime/project.ts"
import {reconcileJobFile} from "../../scheduler/job-file/reconcile-job-file.ts"
import {openWorkroom} from "../../workroom/open.ts"
import type {Once} from "./assemble-once.ts"

/** The checkpoint of a one-shot start, with its contents. */
export type TriedCheckpoint = Awaited<ReturnType<typeof openCheckpoint>>["tried"]

/**
 * Restores a checkpoint into the private folder `scratch`, and opens its database, workroom and jobs by the configuration, with the
 * same failures as a real start. Throws the problems of `restoreCheckpoint`, `restore_refused` for a checkpoint without a
 * database, and the problem that keeps the state from opening.
 */
export const openCheckpoint = async (
  {folder, manifest}: Pick<StoredCheckpoint, "folder" | "manifest">,
  {readConfig, open, scope, signal, logs: {log}}: Once,
  scratch: string,
) => {
  const {config} = await readConfig()
  const {id, createdAt} = manifest
  const paths = projectPaths(join(scratch, "restored"))
  if (manifest.database.dialect !== "sqlite") {
    throw new Problem("restore_refused", `${id} does not contain its database, which is remote`, {
      hint: "Leave out --from-checkpoint; svc checkpoint verify --database-url tries a copy of the remote database.",
    })
  }
  await restoreCheckpoint(
    {folder, manifest},
    {
      paths,
      locate: () => ({dialect: "sqlite", file: paths.database}),
      replaced: undefined,
      progress: () => signal.throwIfAborted(),
    },
  )
  const database = await open(paths.database)
  const {file} = await requireOneHistory({paths, config, database})
  const authority = await resolveAuthority(database, paths.authority, file)
  const jobs = await reconcileJobFile(database, paths, authority)
  const workroom = await openWorkroom({config, database, paths, authority, log})
  scope.defer(() => workroom.close())
  return {
    database,
    tried: {
      id,
      createdAt,
      /** The database's schema in the checkpoint, and after this svc has migrated the copy. */
      schema: {before: manifest.database.schema, after: schemaOf(database)},
      ...(await countBoxes(database)),
      items: workroom.items.length,
      jobs: jobs?.jobs.length ?? 0,
    },
  }
}
