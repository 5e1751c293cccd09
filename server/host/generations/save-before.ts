import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {readMeta} from "../../database/state/meta.ts"
import {readLastStart} from "../../database/state/runs.ts"
import type {SaveBefore} from "../../generation/migrate-draft.ts"
import {withoutCheckpoint} from "../../project/migrate.ts"
import {isMadeHere, type ListedCheckpoint} from "../../recovery/checkpoint/store.ts"
import type {Checkpoints} from "../../recovery/checkpoints.ts"
import type {RecoveryPart} from "../../recovery/part/part.ts"
import type {OpenProject} from "../open/open.ts"

/**
 * Saves a restore point before irreversible migrations of plugins: makes and verifies a checkpoint, unless this start
 * has already made one. For a remote database, the operator makes the backup with the database's own tool and names it
 * before the start.
 */
export const createSaveBefore =
  (
    recovery: Pick<RecoveryPart, "checkpoints" | "learn">,
    {database, runtimeId}: Pick<OpenProject, "database" | "runtimeId">,
    log: Log,
  ): SaveBefore =>
  async ({why, config, isStart, signal}) => {
    const {checkpoints} = recovery
    const standing = isStart ? await findStanding(checkpoints, database, runtimeId) : undefined
    if (standing !== undefined) {
      log.warn(`${why}; checkpoint ${standing.id} was already made`)
      return {id: standing.id, discard: async () => {}}
    }
    log.warn(`${why}; the Host makes and verifies a checkpoint first`)
    // Values that are secret only in the new configuration must not be in the checkpoint either.
    recovery.learn(config)
    try {
      if (isRemote(database)) throw new Problem("restore_point_missing", "this project's database is remote")
      const id = await makeVerified(checkpoints, signal)
      return {id, discard: () => discard(checkpoints, id, log)}
    } catch (cause) {
      throw signal.aborted
        ? new Problem("stopping", "the Host is stopping", {cause})
        : withoutCheckpoint(why, cause, backupFirst)
    }
  }

const isRemote = ({location}: Pick<Database, "location">): boolean => location.dialect !== "sqlite"

/** Finds a checkpoint of this start. For a remote database, one made between Hosts counts until another Host runs. */
const findStanding = async (
  {store}: Pick<Checkpoints, "store">,
  database: Pick<Database, "read" | "location">,
  runtimeId: string,
): Promise<ListedCheckpoint | undefined> => {
  const [last, authority] = [await readLastStart(database, runtimeId), await readMeta(database, "authority")]
  const isStanding = ({manifest}: ListedCheckpoint) =>
    manifest.runtimeId === runtimeId ||
    (isRemote(database) && manifest.runtimeId === null && Date.parse(manifest.createdAt) > last)
  return (await store.list()).checkpoints.find(
    each =>
      isMadeHere(each) && each.verification?.ok === true && each.manifest.authority === authority && isStanding(each),
  )
}

/** Throws why the checkpoint could not be made, and `checkpoint_failed` if it cannot be restored. */
const makeVerified = async (checkpoints: Checkpoints, signal: AbortSignal): Promise<string> => {
  await checkpoints.idle()
  const {id, verification} = await checkpoints.create({reason: "migration", signal})
  if (verification?.ok === true) return id
  await checkpoints.remove(id)
  throw new Problem("checkpoint_failed", verification?.findings.join("; ") ?? "it was not verified")
}

const discard = (checkpoints: Checkpoints, id: string, log: Log): Promise<void> =>
  checkpoints.remove(id).catch(error => log.warn(`could not remove checkpoint ${id}: ${messageOf(error)}`))

const backupFirst =
  "Stop the Host and make the database's own backup, then name it: svc checkpoint create --external-restore-point <id>; then start."
