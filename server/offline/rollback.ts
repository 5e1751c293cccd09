import {readFile} from "node:fs/promises"
import type {BuildIdentity} from "../../shared/api/build.ts"
import {Problem} from "../../shared/problems.ts"
import {readAuthorityFile} from "../database/authority.ts"
import type {Database} from "../database/database.ts"
import {withDatabase} from "../database/without-host.ts"
import {findLockfile} from "../generation/lockfile.ts"
import {holding, type StoppedOptions} from "../project/held.ts"
import {type BuildPlan, isBuildOf, planBuild, swapsBack} from "../recovery/build/go-back.ts"
import {readBuild} from "../recovery/build/identity.ts"
import {readKept, type StoredBuild, verifiedName} from "../recovery/build/kept.ts"
import type {Progress} from "../recovery/checkpoint/progress.ts"
import type {StoredCheckpoint} from "../recovery/checkpoint/store.ts"
import {underWay} from "../recovery/release/history.ts"
import {ReleaseRecord} from "../recovery/release/record.ts"
import {tryRelease} from "../recovery/release/verification/try-release.ts"
import {type CodeChange, describeTree, planCode, removeEmptyFolders} from "../recovery/restore/code.ts"
import {
  planRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  restoreCheckpoint,
} from "../recovery/restore/restore.ts"
import {type SideEffects, sideEffectsSince} from "../recovery/restore/side-effects.ts"
import {findUncommitted} from "../recovery/uncommitted.ts"
import {sha256Of} from "../runtime/hash.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {restorePlaces, withGitNote} from "./checkpoint.ts"

/** Of each step of a build, in milliseconds. */
const buildLimit = 30 * 60_000

export interface RollbackPlan extends RestorePlan {
  /** Null where the project is read-only: then the code is the checkpoint's already. */
  readonly code: Pick<CodeChange, "from" | "to" | "branch" | "written" | "removed"> | null
  readonly sideEffects: SideEffects
  /** Does svc.config.yml differ from its commit? Then a copy of it stays beside it. */
  readonly keepsConfiguration: boolean
  /** Where build and packages come from; null where they are not touched. */
  readonly build: "same" | "kept" | "missing" | null
}

/** What a project is after a rollback, read anew. */
export interface RollbackProof {
  readonly authority: {readonly before: string; readonly after: string; readonly database: string}
  readonly commit: string | null
  /** What of the work tree differs from its commit: what the checkpoint has otherwise. */
  readonly changes: readonly string[]
  readonly lockfile: {readonly name: string; readonly sha256: string} | null
  readonly configuration: string
  /** What stands in its files now. */
  readonly build: BuildIdentity
  readonly database: {readonly schema: number; readonly events: number; readonly inbox: number; readonly outbox: number}
  /** Are commit, lockfile, configuration and schema those of the checkpoint? */
  readonly matches: boolean
}

export interface RollbackRequest {
  readonly dryRun: boolean
  readonly acceptSideEffects: boolean
  /** Leaves build and packages as they are, for the operator to make by hand. */
  readonly withoutBuild: boolean
  /** Ends a build that is under way. */
  readonly signal: AbortSignal
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
  request: RollbackRequest,
): Promise<RolledBackResult | undefined> =>
  holding(options, async paths => {
    const {dryRun, acceptSideEffects, progress, onPlan} = request
    const places = await restorePlaces(options, checkpoint, paths)
    const {plan, code, build} = await planRollback(checkpoint, places, request)
    onPlan(plan)
    if (!acceptSideEffects) requireNone(plan.sideEffects, checkpoint.id)
    if (dryRun) return undefined
    const kept = build?.is === "missing" ? await buildAgain(options, checkpoint, request, paths) : keptOf(build)
    const entries = await new ReleaseRecord(paths.releases).read()
    const release = underWay(entries)?.id ?? releaseOf(entries, checkpoint.id) ?? `rollback-${Date.now()}`
    const restored = await restoreCheckpoint(checkpoint, {
      ...places,
      progress,
      rollback: {
        code,
        release,
        sideEffects: plan.sideEffects.sent.length,
        ...(kept === undefined ? {} : {build: top => swapsBack(paths, top, kept)}),
      },
    })
    if (code !== undefined) await removeEmptyFolders(code)
    const noted = await withGitNote(paths, restored)
    return {plan, restored: noted, proof: await prove(checkpoint, places, restored, plan)}
  })

type Places = Pick<RestoreOptions, "paths" | "locate" | "replaced">

const keptOf = (plan: BuildPlan | undefined) => (plan?.is === "kept" ? plan.build : undefined)

/** Before anything is changed. Throws `rollback_refused` with what its step printed. */
const buildAgain = async (
  {environment, command}: StoppedOptions,
  {id, manifest}: StoredCheckpoint,
  {progress, signal}: RollbackRequest,
  paths: ProjectPaths,
): Promise<StoredBuild> => {
  const name = `rollback-${id}`
  const {ok, steps} = await tryRelease({
    paths,
    release: {id: name, restorePoint: null},
    ...(manifest.code.commit === null ? {} : {commit: manifest.code.commit}),
    environment,
    steps: ["install", "build"],
    limit: buildLimit,
    command,
    signal,
    onBegin: (step, number, of) => progress(`making the build of the checkpoint: ${step}`, number, of),
    onEnd: () => {},
  })
  const kept = ok ? await readKept(paths, verifiedName(name)) : undefined
  if (kept !== undefined) return kept
  const failed = steps.find(step => !step.ok)
  throw new Problem("rollback_refused", `its build was not made: ${failed?.name}: ${failed?.detail}`, {
    hint: "Correct that and repeat it. With --without-build, install the packages and build by hand afterwards.",
  })
}

const planRollback = async (checkpoint: StoredCheckpoint, places: Places, {withoutBuild}: RollbackRequest) => {
  const {paths, replaced} = places
  const plan = await planRestore(checkpoint, places)
  const code =
    plan.projectFiles === "compared"
      ? undefined
      : await planCode(paths, checkpoint.manifest, {mayReplace: paths.config})
  const sideEffects = await sideEffectsSince(replaced, Date.parse(checkpoint.manifest.createdAt))
  const build = code === undefined || withoutBuild ? undefined : await planBuild(paths, checkpoint.manifest)
  const shownCode = code === undefined ? null : shown(code)
  const keepsConfiguration =
    code !== undefined && plan.replacesConfiguration && (await findUncommitted(paths.config)) !== null
  return {plan: {...plan, code: shownCode, sideEffects, keepsConfiguration, build: build?.is ?? null}, code, build}
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
  plan: RollbackPlan,
): Promise<RollbackProof> => {
  const build = await readBuild(paths.project)
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
    build,
    database,
    matches:
      authority === newAuthority &&
      (tree === null || tree.commit === manifest.code.commit) &&
      lockfile?.sha256 === manifest.lockfile?.sha256 &&
      configuration === manifest.configuration.sha256 &&
      (plan.build === null || isBuildOf(manifest, build)) &&
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
