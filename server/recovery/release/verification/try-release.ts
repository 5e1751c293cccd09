import {randomUUID} from "node:crypto"
import {readdir, rename} from "node:fs/promises"
import {dirname, join, relative} from "node:path"
import type {ReleaseStep, ReleaseVerification} from "../../../../shared/api/release.ts"
import {messageOf, Problem} from "../../../../shared/problems.ts"
import {makeFolder, makePrivateFolder, removeFolder} from "../../../runtime/files.ts"
import {withLock} from "../../../runtime/lock.ts"
import {Mask} from "../../../runtime/logs/mask.ts"
import type {ProjectPaths} from "../../../runtime/project.ts"
import {installRecord, placeOfTrial} from "../../build/finish.ts"
import {
  describeKept,
  isPackages,
  type KeptBuild,
  makePlace,
  pruneKept,
  readBuild,
  stampPackages,
  verifiedName,
} from "../../build/kept.ts"
import {outputsOf} from "../../build/outputs.ts"
import {
  copySources,
  findSource,
  folderOf,
  requireRoom,
  type Source,
  subjectOf,
  worktreeCommand,
} from "../../build/source.ts"
import {CheckpointStore} from "../../checkpoint/store.ts"
import {finishRestore} from "../../restore/swap.ts"
import {ReleaseRecord, releasesOf} from "../record.ts"
import {stepEnvironments} from "./environment.ts"
import {packageManagerOf} from "./package-manager.ts"
import {findPrepared, keepPrepared, placesOf, readPrepared, removeTrial, tidy, unmark} from "./prepared.ts"
import {allSteps, runStep, type StepName, stepsOf, type Work} from "./steps.ts"

export interface TryOptions {
  readonly paths: ProjectPaths
  /** The release under way, or a name for the output of another trial; and the checkpoint for the one-shot start. */
  readonly release: {readonly id: string; readonly restorePoint: {readonly checkpoint: string} | null}
  /** The commit to try (default: HEAD). */
  readonly commit?: string
  /** The name of the project's `.env.<name>` that is read over `.env`. */
  readonly environment: string
  /** `keep` prepares the version for a later trial, which may `use` it (default: neither). */
  readonly prepared?: "keep" | "use"
  /** The steps to run (default: all). */
  readonly steps?: readonly StepName[]
  /** The time limit of each step, in milliseconds. */
  readonly limit: number
  readonly command: string
  readonly signal: AbortSignal
  readonly onBegin: (step: StepName, number: number, of: number) => void
  readonly onEnd: (step: ReleaseStep) => void
}

/** How many releases keep their output. */
const keptOutputs = 10

/**
 * Tries a version of the project in a separate folder in `.svc/tmp`, never in the running tree: locked dependencies, doctor,
 * build, tests, one-shot start. Works beside a running Host, and ends at the first step that fails. First it deletes the
 * leftovers of a killed trial. Afterwards only the output of the steps remains, and the build or the prepared folder if all
 * steps passed. An interrupted trial leaves a prepared folder as it was, and a failed one deletes it. Throws
 * `release_refused`, `locked` if another trial runs, and `stopping` at the signal.
 */
export const tryRelease = async (options: TryOptions): Promise<ReleaseVerification> => {
  const {paths, release, signal} = options
  await makePrivateFolder(paths.temporary)
  return withLock(placeOfTrial(paths), options.command, async () => {
    await finishRestore(installRecord(paths))
    try {
      const output = await prepareOutput(join(paths.state, "verifications"), release.id)
      const verification = await attempt(options, output)
      if (signal.aborted) throw signal.reason
      return verification
    } finally {
      if ((await readPrepared(paths)) === undefined) await removeTrial(paths)
    }
  })
}

const prepareOutput = async (outputs: string, release: string): Promise<string> => {
  const output = join(outputs, release)
  await removeFolder(output)
  await makePrivateFolder(output)
  const others = (await readdir(outputs)).filter(name => name !== release).sort()
  for (const name of others.reverse().slice(keptOutputs - 1)) await removeFolder(join(outputs, name))
  return output
}

const attempt = async (options: TryOptions, outputs: string): Promise<ReleaseVerification> => {
  const {paths, signal, limit, onBegin, onEnd} = options
  const {tree} = placesOf(paths)
  const source = await findSource(paths.project, options.commit, join(paths.temporary, `release-${randomUUID()}`))
  const prepared = options.prepared === "use" ? await findPrepared(paths, source) : undefined
  const isRefused = prepared === undefined && (await readPrepared(paths)) !== undefined
  if (prepared === undefined) await removeTrial(paths)
  const folder = folderOf(source, tree)
  const steps: ReleaseStep[] = []
  const wanted = allSteps.filter(name => options.steps?.includes(name) ?? true)
  let entries: string[] = []
  const run = async (name: StepName, mask: Mask, workOf: () => Promise<Work>): Promise<boolean> => {
    onBegin(name, steps.length + 1, wanted.length + 1)
    const output = join(outputs, `${name}.log`)
    const how = {mask, scratch: paths.temporary, output, outputName: relative(paths.project, output), limit, signal}
    const step = await workOf().then(
      work => runStep(name, work, how),
      cause => failed(name, cause),
    )
    steps.push(step)
    onEnd(step)
    return step.ok && !signal.aborted
  }
  const isThere = await run("worktree", new Mask(), () => place(source, paths, tree, prepared?.at ?? isRefused))
  const subject = isThere ? await subjectOf(source, tree) : {commit: null}
  if (isThere) {
    const {environments, following} = await prepareSteps(options, folder, prepared !== undefined)
    for (const [name, workOf] of following.filter(([name]) => wanted.some(each => each === name))) {
      if (!(await run(name, environments.mask, workOf))) break
      // Files that the tests write are not part of the build.
      if (name === "build") entries = [...(prepared?.entries ?? (await outputsOf(source, tree)))]
    }
  }
  const ok = steps.length === wanted.length + 1 && steps.every(step => step.ok)
  if (signal.aborted) return {...subject, ok, steps}
  await unmark(paths)
  if (!ok) return {...subject, ok, steps}
  if (options.prepared === "keep") await tidy(source, tree, entries)
  const build = await readBuild(folder)
  const verification = {...subject, build, ok, steps}
  const keeping =
    options.prepared === "keep"
      ? keepPrepared(paths, {verification, entries})
      : keepBuild(paths, options.release.id, {build, entries})
  await keeping.catch(cause => {
    throw new Problem("release_refused", `could not keep the tried build: ${messageOf(cause)}`, {
      cause,
      hint: `Free space for ${paths.builds}, which must be on the file system of .svc/tmp; then repeat the command.`,
    })
  })
  return verification
}

const prepareSteps = async ({paths, release, environment}: TryOptions, folder: string, isPrepared: boolean) => {
  const {restorePoint} = release
  const checkpoint =
    restorePoint && (await new CheckpointStore(paths.checkpoints).get(restorePoint.checkpoint).catch(() => undefined))
  const secrets = checkpoint?.manifest.secrets ?? []
  const environments = await stepEnvironments({paths, tried: folder, environment, secrets, own: process.env})
  // A checkpoint does not contain a remote database.
  const tried = checkpoint?.manifest.database.dialect === "sqlite" ? checkpoint : undefined
  const following = await packageManagerOf(folder).then(
    manager => stepsOf({folder, manager, environments, checkpoint: tried, isPrepared}),
    (cause: unknown) => [["install", () => Promise.reject(cause)] as const],
  )
  return {environments, following}
}

const failed = (name: StepName, cause: unknown): ReleaseStep => ({
  name,
  ok: false,
  skipped: false,
  seconds: 0,
  command: "",
  detail: cause instanceof Problem ? `${cause.message}\n${cause.hint}` : messageOf(cause),
})

/** Returns the work of the first step. `prepared` is the time of a prepared tree, or whether one was refused. */
const place = async (
  source: Source,
  {project, temporary}: ProjectPaths,
  tree: string,
  prepared: string | boolean,
): Promise<Work> => {
  const environment = {PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/"}
  if (typeof prepared === "string")
    return {folder: tree, environment, shown: "svc release prepare", leftOut: `${prepared}: prepared, and unchanged`}
  const note = prepared ? " (the prepared version differs)" : ""
  if (source.is === "commit") {
    await requireRoom(source, temporary)
    return {
      folder: source.top,
      environment,
      shown: `git worktree add --detach ${source.commit}${note}`,
      command: worktreeCommand(source, tree),
    }
  }
  await copySources(project, source.paths, tree)
  return {
    folder: tree,
    environment,
    shown: `copy of ${source.paths.length} files${note}`,
    leftOut: "the project is not a git work tree: svc tries a copy of the files that are not ignored",
  }
}

/** Moves the tried build to the kept ones, so that exactly that is installed. Deletes builds that no release needs. */
const keepBuild = async (paths: ProjectPaths, release: string, kept: KeptBuild): Promise<void> => {
  const {tree} = placesOf(paths)
  const name = verifiedName(release)
  await pruneKept(paths, await releasesThatNeedBuilds(paths, release))
  const files = await makePlace(paths, name)
  for (const entry of kept.entries) {
    const place = join(files, entry)
    await makeFolder(dirname(place), 0o700)
    await rename(join(tree, entry), place)
    if (isPackages(entry) && kept.build.lockfile !== null) await stampPackages(place, kept.build.lockfile)
  }
  await describeKept(paths, name, kept)
}

/** Resolves to the releases across which a rollback is still possible. */
const releasesThatNeedBuilds = async (paths: ProjectPaths, own: string): Promise<ReadonlySet<string>> => {
  const releases = releasesOf(await new ReleaseRecord(paths.releases).read(), Date.now())
  const open = releases.filter(({state}) => state === "begun" || state === "observing")
  return new Set([own, ...open.map(({id}) => id)])
}
