import {readFile} from "node:fs/promises"
import {Problem} from "../../shared/problems.ts"
import {readAuthorityFile} from "../database/authority.ts"
import type {Database} from "../database/database.ts"
import {withDatabase} from "../database/without-host.ts"
import {findLockfile} from "../generation/lockfile.ts"
import {holding, type StoppedOptions} from "../project/held.ts"
import type {Progress} from "../recovery/checkpoint/progress.ts"
import type {StoredCheckpoint} from "../recovery/checkpoint/store.ts"
import {underWay} from "../recovery/release/history.ts"
import {ReleaseRecord} from "../recovery/release/record.ts"
import {type CodeChange, describeTree, planCode, removeEmptyFolders} from "../recovery/restore/code.ts"
import {
  planRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  restoreCheckpoint,
} from "../recovery/restore/restore.ts"
import {type SideEffects, sideEffectsSince} from "../recovery/restore/side-effects.ts"
import {sha256Of} from "../runtime/hash.ts"
import {restorePlaces} from "./checkpoint.ts"

export interface RollbackPlan extends RestorePlan {
  /** Null where the project is read-only: then the code is the checkpoint's already. */
  readonly code: Pick<CodeChange, "from" | "to" | "branch" | "written" | "removed"> | null
  readonly sideEffects: SideEffects
}

/** What a project is after a rollback, read anew. */
export interface RollbackProof {
  readonly authority: {readonly before: string; readonly after: string; readonly database: string}
  readonly commit: string | null
  /** What of the work tree differs from its commit: what the checkpoint has otherwise. */
  readonly changes: readonly string[]
  readonly lockfile: {readonly name: string; readonly sha256: string} | null
  readonly configuration: string
  readonly database: {readonly schema: number; readonly events: number; readonly inbox: number; readonly outbox: number}
  /** Are commit, lockfile, configuration and schema those of the checkpoint? */
  readonly matches: boolean
}

export interface RollbackRequest {
  readonly dryRun: boolean
  readonly acceptSideEffects: boolean
  readonly progress: Progress
  /** Hears the plan before anything is changed. */
  readonly onPlan: (plan: RollbackPlan) => void
}

export interface RolledBackResult {
  readonly plan: RollbackPlan
  readonly restored: Restored
  readonly proof: RollbackProof
}

/**
 * Takes code, lockfile, configuration and data of a stopped project back to one checkpoint, together; undefined for a dry
 * run. Throws `rollback_refused`, `side_effects`, and what `restoreCheckpoint` throws; then nothing was changed.
 */
export const rollBack = (
  options: StoppedOptions,
  checkpoint: StoredCheckpoint,
  {dryRun, acceptSideEffects, progress, onPlan}: RollbackRequest,
): Promise<RolledBackResult | undefined> =>
  holding(options, async paths => {
    const places = await restorePlaces(options, checkpoint, paths)
    const {plan, code} = await planRollback(checkpoint, places)
    onPlan(plan)
    if (!acceptSideEffects) requireNone(plan.sideEffects, checkpoint.id)
    if (dryRun) return undefined
    const entries = await new ReleaseRecord(paths.releases).read()
    const release = underWay(entries)?.id ?? releaseOf(entries, checkpoint.id) ?? `rollback-${Date.now()}`
    const restored = await restoreCheckpoint(checkpoint, {
      ...places,
      progress,
      rollback: {code, release, sideEffects: plan.sideEffects.sent.length},
    })
    if (code !== undefined) await removeEmptyFolders(code)
    return {plan, restored, proof: await prove(checkpoint, places, restored)}
  })

type Places = Pick<RestoreOptions, "paths" | "locate" | "replaced">

const planRollback = async (checkpoint: StoredCheckpoint, places: Places) => {
  const {paths, replaced} = places
  const plan = await planRestore(checkpoint, places)
  const code = plan.projectFiles === "compared" ? undefined : await planCode(paths, checkpoint.manifest)
  const sideEffects = await sideEffectsSince(replaced, Date.parse(checkpoint.manifest.createdAt))
  return {plan: {...plan, code: code === undefined ? null : shown(code), sideEffects}, code}
}

const shown = ({from, to, branch, written, removed}: CodeChange) => ({from, to, branch, written, removed})

const requireNone = ({sent, unknown}: SideEffects, id: string): void => {
  if (unknown !== null) throw new Problem("side_effects", `what was sent since ${id} is not known: ${unknown}`)
  if (sent.length === 0) return
  const lines = sent.slice(0, 20).map(({message, endpoint, state, at}) => `  ${at} ${endpoint} ${message} ${state}`)
  const more = sent.length > lines.length ? [`  and ${sent.length - lines.length} more`] : []
  throw new Problem("side_effects", [`sent since ${id}: ${sent.length}`, ...lines, ...more].join("\n"))
}

const releaseOf = (entries: Awaited<ReturnType<ReleaseRecord["read"]>>, checkpoint: string): string | undefined =>
  entries.findLast(entry => entry.is === "begun" && entry.restorePoint.checkpoint === checkpoint)?.release

const prove = async (
  {manifest}: StoredCheckpoint,
  {paths, locate}: Places,
  {newAuthority}: Restored,
): Promise<RollbackProof> => {
  const text = await readFile(paths.config, "utf8")
  const tree = await describeTree(paths.project)
  const lockfile = (await findLockfile(paths.project)) ?? null
  const configuration = sha256Of(text)
  const location = locate({file: "svc.config.yml", text, sha256: configuration})
  const {authority, ...database} = await withDatabase(location, readHeads)
  const after = await readAuthorityFile(paths.authority)
  return {
    authority: {before: manifest.authority, after: after?.authority ?? "none", database: authority},
    commit: tree?.commit ?? null,
    changes: tree?.changes ?? [],
    lockfile,
    configuration,
    database,
    matches:
      authority === newAuthority &&
      (tree === null || tree.commit === manifest.code.commit) &&
      lockfile?.sha256 === manifest.lockfile?.sha256 &&
      configuration === manifest.configuration.sha256 &&
      database.schema === manifest.database.schema,
  }
}

const readHeads = async (database: Database) => {
  const [row] = await database.read(
    `SELECT (SELECT value FROM svc_meta WHERE key = 'authority') AS authority, (SELECT max(version) FROM svc_migrations) AS schema,
     (SELECT max("offset") FROM events) AS events, (SELECT max(seq) FROM inbox) AS inbox, (SELECT max(seq) FROM outbox) AS outbox`,
  )
  const figure = (name: string) => Number(row?.[name] ?? 0)
  return {
    authority: String(row?.authority),
    schema: figure("schema"),
    events: figure("events"),
    inbox: figure("inbox"),
    outbox: figure("outbox"),
  }
}
