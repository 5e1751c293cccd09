import {Problem, toProblem} from "../../shared/problems.ts"
import {type Database, type Reader, type Statement, schemaOf} from "../database/database.ts"
import {describeCrossed, readCrossed} from "../database/migrations/irreversible.ts"
import {
  type Applied,
  describeIrreversible,
  irreversibleFor,
  requireKnownSchema,
} from "../database/migrations/migrate.ts"
import {type IrreversibleMigration, migrations, newestSchema} from "../database/migrations/migrations.ts"
import {telling} from "../events/telling.ts"
import {hostScratch} from "../recovery/checkpoint/scratch.ts"
import {CheckpointStore, isMadeHere, type ListedCheckpoint} from "../recovery/checkpoint/store.ts"
import {noProgress, type Progress} from "../recovery/files/files.ts"
import {verifyApart} from "../recovery/verify/verify-apart.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {type AtRest, createAtRest, secretsAtRest} from "./at-rest.ts"

export interface UpgradeOptions {
  readonly signal: AbortSignal
  /** The id of a remote database's own backup. */
  readonly restorePoint?: string | undefined
  readonly progress?: Progress
  /** Called with messages about long or important steps. */
  readonly tell?: (text: string) => void
}

export interface Upgraded {
  readonly from: number
  readonly to: number
  readonly applied: readonly Applied[]
  /** The checkpoint that was created and verified before, if a migration cannot be undone. */
  readonly checkpoint: ListedCheckpoint | undefined
}

/**
 * Migrates a project's database to this version's schema. Before migrations that cannot be undone, it creates and verifies a
 * checkpoint, which tries them on a copy. If that fails, throws `migration_refused` without changing anything.
 */
export const upgradeDatabase = async (project: AtRest, options: UpgradeOptions): Promise<Upgraded> => {
  const {database} = project
  const {signal, progress = noProgress, tell = () => {}} = options
  const from = schemaOf(database)
  const irreversible = await irreversibleFor(database, migrations, from)
  const checkpoint = irreversible.length === 0 ? undefined : await saveBefore(project, irreversible, options)
  if (checkpoint !== undefined) tell(`created and verified checkpoint ${checkpoint.id} of schema ${from}`)
  const applied = await database.bringUp(migrations, {signal, restorePoint: checkpoint?.id, progress})
  return {from, to: schemaOf(database), applied, checkpoint}
}

const saveBefore = async (
  project: AtRest,
  irreversible: readonly IrreversibleMigration[],
  {signal, restorePoint, progress = noProgress, tell = () => {}}: UpgradeOptions,
): Promise<ListedCheckpoint> => {
  const what = describeIrreversible(irreversible)
  tell(`${what}; creating and verifying a checkpoint first`)
  try {
    const created = await createAtRest(project, {
      reason: "migration",
      signal,
      ...(restorePoint === undefined ? {} : {restorePoint}),
      progress,
    })
    await verify(project, created, {signal, progress})
    return created
  } catch (cause) {
    throw withoutCheckpoint(what, cause, backupFirst)
  }
}

/** Returns `migration_refused` for a failed checkpoint before the migrations; `backupFirst` is the hint for a remote database. */
export const withoutCheckpoint = (what: string, cause: unknown, backupFirst: string): Problem => {
  const {code, message, hint} = toProblem(cause, "checkpoint_failed")
  return new Problem("migration_refused", `${what}; could not create and verify a checkpoint first: ${message}`, {
    cause,
    hint: code === "restore_point_missing" ? backupFirst : hint,
  })
}

const backupFirst =
  "Make the database's own backup, then name it: svc database migrate --external-restore-point <id>; then start."

/** Verifies the checkpoint. Deletes it and throws if it cannot be restored. */
const verify = async (
  project: AtRest,
  {id}: ListedCheckpoint,
  {signal, progress}: {readonly signal: AbortSignal; readonly progress: Progress},
): Promise<void> => {
  const {checkpoints, temporary} = project.paths
  const store = new CheckpointStore(checkpoints)
  const request = {root: checkpoints, id, temporary: hostScratch(temporary), secrets: await secretsAtRest(project)}
  const verification = await verifyApart(request, progress, signal)
  if (!verification.ok) {
    await store.remove(id)
    throw new Problem("checkpoint_failed", verification.findings.join("; "))
  }
  await store.keepVerification(id, verification)
}

/** Returns the events of a migration; none for a new database. */
export const tellingOf = ({from, to, applied, checkpoint}: Upgraded): readonly Statement[] => {
  if (from === 0 || applied.length === 0) return []
  const id = checkpoint?.id ?? null
  const saved =
    checkpoint === undefined
      ? []
      : [
          telling("checkpoint.created", {
            checkpoint: checkpoint.id,
            reason: checkpoint.manifest.reason,
            size: checkpoint.size,
          }),
          telling("checkpoint.verified", {checkpoint: checkpoint.id, warnings: []}),
        ]
  return [...saved, telling("database.migrated", {from, to, checkpoint: id})]
}

/** Throws `database_newer`, with the checkpoint to go back to if there is one. */
export const requireKnownDatabase = async (
  database: Pick<Database, "read" | "state">,
  {checkpoints}: Pick<ProjectPaths, "checkpoints">,
): Promise<void> => {
  try {
    requireKnownSchema(schemaOf(database), migrations)
  } catch (cause) {
    throw cause instanceof Problem ? await explainNewer(cause, database, checkpoints) : cause
  }
}

const explainNewer = async (problem: Problem, database: Reader, root: string): Promise<Problem> => {
  const fit = (await new CheckpointStore(root).list()).checkpoints.find(
    each => isMadeHere(each) && each.manifest.database.schema <= newestSchema && each.verification?.ok === true,
  )
  const crossed = await readCrossed(database, newestSchema)
  const back =
    fit === undefined
      ? "or restore the checkpoint from before the upgrade"
      : `or go back to the data of ${fit.manifest.createdAt} (schema ${fit.manifest.database.schema}): svc checkpoint restore ${fit.id} --data-only`
  return new Problem(problem.code, [problem.message, ...crossed.map(describeCrossed)].join("; "), {
    cause: problem,
    hint: `Start the version that wrote it, ${back}.`,
  })
}
