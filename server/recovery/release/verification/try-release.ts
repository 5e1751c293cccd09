import {readdir} from "node:fs/promises"
import {join, relative} from "node:path"
import type {ReleaseStep, ReleaseVerification, ReleaseView} from "../../../../shared/api/release.ts"
import {messageOf, Problem} from "../../../../shared/problems.ts"
import {Mask} from "../../../logs/mask.ts"
import {makePrivateFolder, removeFolder} from "../../../runtime/files.ts"
import {withLock} from "../../../runtime/lock.ts"
import type {ProjectPaths} from "../../../runtime/project.ts"
import {readBuild} from "../../build/kept.ts"
import {installRecord, placeOfTrial} from "../../build/settle.ts"
import {CheckpointStore, type StoredCheckpoint} from "../../checkpoint/store.ts"
import {settleRestore} from "../../restore/swap.ts"
import {stepEnvironments} from "./environment.ts"
import {keepBuild, outputsOf} from "./keep-build.ts"
import {packageManagerOf} from "./package-manager.ts"
import {
  copySources,
  findSource,
  hashSources,
  removeWorktree,
  requireRoom,
  type Source,
  worktreeCommand,
} from "./source.ts"
import {allSteps, runStep, type StepName, stepsOf, type Work} from "./steps.ts"

export interface TryOptions {
  readonly paths: ProjectPaths
  /** The release under way. */
  readonly release: Pick<ReleaseView, "id" | "restorePoint">
  /** The commit to try (default: HEAD). */
  readonly commit?: string
  /** The name of the project's `.env.<name>` that is read over `.env`. */
  readonly environment: string
  /** The steps to run (default: all). */
  readonly steps?: readonly StepName[]
  /** The time limit of each step, in milliseconds. */
  readonly limit: number
  readonly command: string
  readonly signal: AbortSignal
  readonly onBegin: (step: StepName, number: number, of: number) => void
  readonly onEnd: (step: ReleaseStep) => void
}

/** Returns the places of a trial; only one release is tried at a time. */
const placesOf = ({temporary, state}: ProjectPaths, release: string) => ({
  scratch: join(temporary, "release"),
  tree: join(temporary, "release/tree"),
  outputs: join(state, "verifications"),
  output: join(state, "verifications", release),
})

type Places = ReturnType<typeof placesOf>

/** How many releases keep their output. */
const keptOutputs = 10

/**
 * Tries a version of the project in a separate folder in `.svc/tmp`, never in the running tree: locked dependencies, doctor,
 * build, tests, one-shot start. Works beside a running Host, and ends at the first step that fails. First it deletes the
 * leftovers of a killed trial. Afterwards only the output of the steps remains, and the build if all steps passed. Throws
 * `release_refused`, `locked` if another trial runs, and `stopping` at the signal.
 */
export const tryRelease = async (options: TryOptions): Promise<ReleaseVerification> => {
  const {paths, release, signal} = options
  const places = placesOf(paths, release.id)
  await makePrivateFolder(paths.temporary)
  return withLock(placeOfTrial(paths), options.command, async () => {
    await settleRestore(installRecord(paths))
    try {
      await cleanUp(paths, places)
      await prepareOutput(places)
      const verification = await attempt(options, places)
      if (signal.aborted) throw signal.reason
      return verification
    } finally {
      await cleanUp(paths, places)
    }
  })
}

const cleanUp = async ({project}: ProjectPaths, {scratch, tree}: Places): Promise<void> => {
  await removeWorktree(project, tree)
  await removeFolder(scratch)
}

const prepareOutput = async ({outputs, output}: Places): Promise<void> => {
  await removeFolder(output)
  await makePrivateFolder(output)
  const names = (await readdir(outputs)).sort().reverse()
  for (const name of names.slice(keptOutputs)) await removeFolder(join(outputs, name))
}

const attempt = async (options: TryOptions, places: Places): Promise<ReleaseVerification> => {
  const {paths, signal, limit, onBegin, onEnd} = options
  const source = await findSource(paths.project, options.commit, places.scratch)
  const folder = source.is === "commit" ? join(places.tree, source.prefix) : places.tree
  const steps: ReleaseStep[] = []
  const wanted = allSteps.filter(name => options.steps?.includes(name) ?? true)
  let entries: readonly string[] = []
  const run = async (name: StepName, mask: Mask, workOf: () => Promise<Work>): Promise<boolean> => {
    onBegin(name, steps.length + 1, wanted.length + 1)
    const output = join(places.output, `${name}.log`)
    const how = {mask, scratch: paths.temporary, output, outputName: relative(paths.project, output), limit, signal}
    const step = await workOf().then(
      work => runStep(name, work, how),
      cause => failed(name, cause),
    )
    steps.push(step)
    onEnd(step)
    return step.ok && !signal.aborted
  }
  const isThere = await run("worktree", new Mask(), () => place(source, paths, places))
  const subject = isThere ? await subjectOf(source, places) : {commit: null}
  if (isThere) {
    const {environments, following} = await prepareSteps(options, folder)
    for (const [name, workOf] of following.filter(([name]) => wanted.some(each => each === name))) {
      if (!(await run(name, environments.mask, workOf))) break
      // Files that the tests write are not part of the build.
      if (name === "build") entries = await outputsOf(source, places.tree)
    }
  }
  const ok = steps.length === wanted.length + 1 && steps.every(step => step.ok)
  if (!ok || signal.aborted) return {...subject, ok, steps}
  const build = await readBuild(folder)
  await keepBuild({paths, release: options.release.id, tree: places.tree}, {build, entries: [...entries]}).catch(
    cause => {
      throw new Problem("release_refused", `could not keep the tried build: ${messageOf(cause)}`, {
        cause,
        hint: `Free space for ${paths.builds}, which must be on the file system of .svc/tmp; then repeat the command.`,
      })
    },
  )
  return {...subject, build, ok, steps}
}

const prepareSteps = async ({paths, release, environment}: TryOptions, folder: string) => {
  const checkpoint = await findCheckpoint(paths, release)
  const secrets = checkpoint?.manifest.secrets ?? []
  const environments = await stepEnvironments({paths, tried: folder, environment, secrets, own: process.env})
  // A checkpoint does not contain a remote database.
  const tried = checkpoint?.manifest.database.dialect === "sqlite" ? checkpoint : undefined
  const following = await packageManagerOf(folder).then(
    manager => stepsOf({folder, manager, environments, checkpoint: tried}),
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

const place = async (source: Source, {project, temporary}: ProjectPaths, {tree}: Places): Promise<Work> => {
  const environment = {PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/"}
  if (source.is === "commit") {
    await requireRoom(source, temporary)
    return {
      folder: source.top,
      environment,
      shown: `git worktree add --detach ${source.commit}`,
      command: worktreeCommand(source, tree),
    }
  }
  await copySources(project, source.paths, tree)
  return {
    folder: tree,
    environment,
    shown: `copy of ${source.paths.length} files`,
    leftOut: "the project is not a git work tree: svc tries a copy of the files that are not ignored",
  }
}

/** Resolves to the commit or copy that the verification is about. */
const subjectOf = async (source: Source, {tree}: Places): Promise<Pick<ReleaseVerification, "commit" | "copy">> =>
  source.is === "commit" ? {commit: source.commit} : {commit: null, copy: await hashSources(tree, source.paths)}

const findCheckpoint = async (
  {checkpoints}: ProjectPaths,
  {restorePoint}: Pick<ReleaseView, "restorePoint">,
): Promise<StoredCheckpoint | undefined> =>
  restorePoint === null
    ? undefined
    : new CheckpointStore(checkpoints).get(restorePoint.checkpoint).catch(() => undefined)
