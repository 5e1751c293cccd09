import {readFile} from "node:fs/promises"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {Problem} from "../../../shared/problems.ts"
import {withDatabase} from "../../database/without-host.ts"
import {changesSince, planBuild, swapsBack} from "../../recovery/build/go-back.ts"
import {readBuild, readKept, type StoredBuild, verifiedName} from "../../recovery/build/kept.ts"
import type {StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import type {Progress} from "../../recovery/files/files.ts"
import {ReleaseRecord, underWay} from "../../recovery/release/record.ts"
import {tryRelease} from "../../recovery/release/verification/try-release.ts"
import {type CodeChange, describeTree, planCode, removeEmptyFolders} from "../../recovery/restore/code.ts"
import {readHeads} from "../../recovery/restore/heads.ts"
import {
  planRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  restoreCheckpoint,
} from "../../recovery/restore/restore.ts"
import {type SideEffects, sideEffectsSince} from "../../recovery/restore/side-effects.ts"
import {findUncommitted} from "../../recovery/uncommitted.ts"
import {sha256Of} from "../../runtime/files.ts"
import {findLockfile} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {readAuthorityFile} from "../authority.ts"
import {holding, type StoppedOptions} from "../held.ts"
import {restorePlaces, withGitNote} from "./checkpoint.ts"

/** The time limit of each step of a build, in milliseconds. */
const buildLimit = 30 * 60_000

export interface RollbackPlan extends RestorePlan {
  /** Null for a read-only project, whose code is already the checkpoint's. */
  readonly code: Pick<CodeChange, "from" | "to" | "branch" | "written" | "removed"> | null
  readonly sideEffects: SideEffects
  /** Whether svc.config.yml differs from its commit, so that the rollback keeps a copy beside it. */
  readonly keepsConfiguration: boolean
  /** The source of build and packages; null if the rollback does not touch them. */
  readonly build: "same" | "kept" | "surplus" | "missing" | null
}

/** The state of a project after a rollback, read back from the disk. */
export interface RollbackProof {
  readonly authority: {readonly before: string; readonly after: string; readonly database: string}
  readonly commit: string | null
  /** Files that differ from the commit, because the checkpoint has another version of them. */
  readonly changes: readonly string[]
  readonly lockfile: {readonly name: string; readonly sha256: string} | null
  readonly configuration: string
  /** The build in the project's files. */
  readonly build: BuildIdentity
  /** Its differences from the build that ran at the checkpoint. */
  readonly buildChanges: readonly string[]
  readonly database: {readonly schema: number; readonly events: number; readonly inbox: number; readonly outbox: number}
  /** Whether commit, lockfile, configuration, schema and build are the checkpoint's; without the build if that was left as it is. */
  readonly matches: boolean
}

export interface RollbackRequest {
  readonly dryRun: boolean
  readonly acceptSideEffects: boolean
  /** Leaves build and packages as they are; the operator builds by hand. */
  readonly withoutBuild: boolean
  /** Ends a running build. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Called with the plan before anything changes. */
  readonly onPlan: (plan: RollbackPlan) => void
}

export interface RolledBackResult {
  readonly plan: RollbackPlan
  readonly restored: Restored
  readonly proof: RollbackProof
}

/**
 * Rolls code, lockfile, configuration and data of a stopped project back to one checkpoint, together. Resolves to undefined
 * for a dry run. Throws `rollback_refused`, `side_effects`, and the problems of `restoreCheckpoint`, without having changed
 * anything.
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
    const to =
      build?.is === "missing"
        ? {is: "kept" as const, build: await buildAgain(options, checkpoint, request, paths)}
        : build
    const entries = await new ReleaseRecord(paths.releases).read()
    const release = underWay(entries)?.id ?? releaseOf(entries, checkpoint.id) ?? `rollback-${Date.now()}`
    const restored = await restoreCheckpoint(checkpoint, {
      ...places,
      progress,
      rollback: {
        code,
        release,
        sideEffects: plan.sideEffects.sent.length,
        ...(to === undefined || to.is === "same" ? {} : {build: top => swapsBack(paths, top, to)}),
      },
    })
    if (code !== undefined) await removeEmptyFolders(code)
    const noted = await withGitNote(paths, restored)
    return {plan, restored: noted, proof: await prove(checkpoint, places, restored, request)}
  })

type Places = Pick<RestoreOptions, "paths" | "locate" | "replaced">

/** Builds the checkpoint's commit before anything changes. Throws `rollback_refused` with the output of the failed step. */
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
    onBegin: (step, number, of) => progress(`building the checkpoint's commit: ${step}`, number, of),
    onEnd: () => {},
  })
  const kept = ok ? await readKept(paths, verifiedName(name)) : undefined
  if (kept !== undefined) return kept
  const failed = steps.find(step => !step.ok)
  throw new Problem(
    "rollback_refused",
    `the build of the checkpoint's commit failed: ${failed?.name}: ${failed?.detail}`,
    {hint: "Fix the problem and repeat it. Or use --without-build, then install the packages and build by hand."},
  )
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
  if (unknown !== null) throw new Problem("side_effects", `svc does not know what was sent since ${id}: ${unknown}`)
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
  {withoutBuild}: RollbackRequest,
): Promise<RollbackProof> => {
  const build = await readBuild(paths.project)
  const buildChanges = changesSince(manifest, build)
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
    buildChanges,
    database,
    matches:
      authority === newAuthority &&
      (tree === null || tree.commit === manifest.code.commit) &&
      lockfile?.sha256 === manifest.lockfile?.sha256 &&
      configuration === manifest.configuration.sha256 &&
      (withoutBuild || buildChanges.length === 0) &&
      database.schema === manifest.database.schema,
  }
}
