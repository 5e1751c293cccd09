import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {SaveBefore} from "../../generation/migrate-draft.ts"
import {withoutCheckpoint} from "../../project/migrate.ts"
import type {Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import {isMadeHere, type StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import type {HostRecovery} from "../assembly/recovery.ts"

export interface SaveBeforeOptions {
  readonly recovery: Pick<HostRecovery, "checkpoints" | "learn">
  readonly database: Database
  readonly runtimeId: string
  readonly log: Log
}

/**
 * The restore point before plugins' migrations that cannot be undone: a checkpoint that is made and verified now, unless this
 * start has made one already. A remote database's is made by its own tool, and named before the start.
 */
export const createSaveBefore =
  ({recovery, database, runtimeId, log}: SaveBeforeOptions): SaveBefore =>
  async ({why, config, isStart, signal}) => {
    const {checkpoints} = recovery
    const standing = isStart ? await findStanding(checkpoints, database, runtimeId) : undefined
    if (standing !== undefined) {
      log.warn(`${why}; checkpoint ${standing.id} was made before`)
      return {id: standing.id, discard: async () => {}}
    }
    log.warn(`${why}; a checkpoint is made and verified before`)
    // What the new configuration says is secret must not be in it either.
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

/** Made by this start; of a remote database, also one that was made while no Host ran, when none has since. */
const findStanding = async (
  {store}: Pick<Checkpoints, "store">,
  database: Pick<Database, "read" | "location">,
  runtimeId: string,
): Promise<StoredCheckpoint | undefined> => {
  const [row] = await database.read(
    "SELECT max(started_at) AS at, (SELECT value FROM svc_meta WHERE key = 'authority') AS authority FROM svc_runs WHERE runtime_id <> ?",
    [runtimeId],
  )
  const isStanding = ({manifest}: StoredCheckpoint) =>
    manifest.runtimeId === runtimeId ||
    (isRemote(database) && manifest.runtimeId === null && Date.parse(manifest.createdAt) > Number(row?.at))
  return (await store.list()).checkpoints.find(
    each =>
      isMadeHere(each) &&
      each.verification?.ok === true &&
      each.manifest.authority === row?.authority &&
      isStanding(each),
  )
}

/** Throws what keeps it from being made, and `checkpoint_failed` where it is not fit to restore. */
const makeVerified = async (checkpoints: Checkpoints, signal: AbortSignal): Promise<string> => {
  await checkpoints.settled()
  const {id, verification} = await checkpoints.create({reason: "migration", signal})
  if (verification?.ok === true) return id
  await checkpoints.remove(id)
  throw new Problem("checkpoint_failed", verification?.findings.join("; ") ?? "it was not verified")
}

const discard = (checkpoints: Checkpoints, id: string, log: Log): Promise<void> =>
  checkpoints.remove(id).catch(error => log.warn(`checkpoint ${id} was not removed: ${messageOf(error)}`))

const backupFirst =
  "Stop the Host and make the database's own backup, then name it: svc checkpoint create --external-restore-point <id>; then start."
