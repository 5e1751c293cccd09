import {Problem, toProblem} from "../../shared/problems.ts"
import type {Statement} from "../../shared/sdk/plugin/database.ts"
import {type Database, schemaOf} from "../database/database.ts"
import {describeCrossed, readCrossed} from "../database/migrations/irreversible.ts"
import {
  type Applied,
  describeIrreversible,
  irreversibleFor,
  requireKnownSchema,
} from "../database/migrations/migrate.ts"
import {type IrreversibleMigration, migrations, newestSchema} from "../database/migrations/migrations.ts"
import {telling} from "../events/telling.ts"
import {noProgress, type Progress} from "../recovery/checkpoint/progress.ts"
import {hostScratch} from "../recovery/checkpoint/scratch.ts"
import {CheckpointStore, isMadeHere, type StoredCheckpoint, sizeOf} from "../recovery/checkpoint/store.ts"
import {verifyApart} from "../recovery/verify/verify-apart.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {type AtRest, createAtRest, secretsAtRest} from "./at-rest.ts"

export interface UpgradeOptions {
  readonly signal: AbortSignal
  /** The id of a remote database's own backup. */
  readonly restorePoint?: string | undefined
  readonly progress?: Progress
  /** Hears what takes long, or is worth remembering. */
  readonly tell?: (text: string) => void
}

/** What became of a database's schema. */
export interface Upgraded {
  readonly from: number
  readonly to: number
  readonly applied: readonly Applied[]
  /** Made and verified before, where one of them cannot be undone. */
  readonly checkpoint: StoredCheckpoint | undefined
}

/**
 * Brings a project's database up to this version's schema. Before migrations that cannot be undone a checkpoint is made and
 * verified, which tries them on a copy. Throws `migration_refused`, with nothing changed, where that fails.
 */
export const upgradeDatabase = async (project: AtRest, options: UpgradeOptions): Promise<Upgraded> => {
  const {database} = project
  const {signal, progress = noProgress, tell = () => {}} = options
  const from = schemaOf(database)
  const irreversible = await irreversibleFor(database, migrations, from)
  const checkpoint = irreversible.length === 0 ? undefined : await saveBefore(project, irreversible, options)
  if (checkpoint !== undefined) tell(`checkpoint ${checkpoint.id} of schema ${from} is made and verified`)
  const applied = await database.bringUp(migrations, {signal, restorePoint: checkpoint?.id, progress})
  return {from, to: schemaOf(database), applied, checkpoint}
}

const saveBefore = async (
  project: AtRest,
  irreversible: readonly IrreversibleMigration[],
  {signal, restorePoint, progress = noProgress, tell = () => {}}: UpgradeOptions,
): Promise<StoredCheckpoint> => {
  const what = describeIrreversible(irreversible)
  tell(`${what}; a checkpoint is made and verified before`)
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

/** `migration_refused`: the checkpoint before what cannot be undone was not made; `backupFirst` is the hint for a remote database. */
export const withoutCheckpoint = (what: string, cause: unknown, backupFirst: string): Problem => {
  const {code, message, hint} = toProblem(cause, "checkpoint_failed")
  return new Problem("migration_refused", `${what}; the checkpoint of before was not made: ${message}`, {
    cause,
    hint: code === "restore_point_missing" ? backupFirst : hint,
  })
}

const backupFirst =
  "Make the database's own backup, then name it: svc database migrate --external-restore-point <id>; then start."

/** Throws where it is not fit to restore; then it is removed. */
const verify = async (
  project: AtRest,
  {id}: StoredCheckpoint,
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

/** What the event log is told of it; nothing of a database that was new. */
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
            size: sizeOf(checkpoint.manifest),
          }),
          telling("checkpoint.verified", {checkpoint: checkpoint.id, warnings: []}),
        ]
  return [...saved, telling("database.migrated", {from, to, checkpoint: id})]
}

/** Throws `database_newer`, with the checkpoint to go back to where there is one. */
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

const explainNewer = async (problem: Problem, database: Pick<Database, "read">, root: string): Promise<Problem> => {
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
