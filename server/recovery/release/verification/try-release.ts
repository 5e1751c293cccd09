import {readdir} from "node:fs/promises"
import {join, relative} from "node:path"
import type {ReleaseStep, ReleaseVerification, ReleaseView} from "../../../../shared/api/release.ts"
import {messageOf, Problem} from "../../../../shared/problems.ts"
import {Mask} from "../../../logs/mask.ts"
import {makePrivateFolder, removeFolder} from "../../../runtime/files.ts"
import {withLock} from "../../../runtime/lock.ts"
import type {ProjectPaths} from "../../../runtime/project.ts"
import {CheckpointStore, type StoredCheckpoint} from "../../checkpoint/store.ts"
import {stepEnvironments} from "./environment.ts"
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
import {runStep, type StepName, stepsOf, type Work} from "./steps.ts"

export interface TryOptions {
  readonly paths: ProjectPaths
  /** The one under way. */
  readonly release: Pick<ReleaseView, "id" | "restorePoint">
  /** What is tried; HEAD without it. */
  readonly commit?: string
  /** `.env.<name>` of the project is read over `.env`. */
  readonly environment: string
  /** Of each step, in milliseconds. */
  readonly limit: number
  readonly command: string
  readonly signal: AbortSignal
  readonly onBegin: (step: StepName, number: number, of: number) => void
  readonly onEnd: (step: ReleaseStep) => void
}

/** What is tried at once is one release. */
const placesOf = ({temporary, state}: ProjectPaths, release: string) => ({
  scratch: join(temporary, "release"),
  tree: join(temporary, "release/tree"),
  lock: join(temporary, "release.lock"),
  holder: join(temporary, "release.json"),
  outputs: join(state, "verifications"),
  output: join(state, "verifications", release),
})

type Places = ReturnType<typeof placesOf>

/** Releases whose output is kept. */
const keptOutputs = 10

const stepCount = 6

/**
 * Tries a version of the project in a folder of its own in `.svc/tmp`, never in the running tree: locked dependencies,
 * doctor, build, tests, one-shot start; beside a running Host. Ends at the first step that fails. What a run that was killed
 * has left is removed first, and nothing is left afterwards but the output of the steps. Throws `release_refused`, `locked`
 * where another one runs, and `stopping` at the signal.
 */
export const tryRelease = async (options: TryOptions): Promise<ReleaseVerification> => {
  const {paths, release, signal} = options
  const places = placesOf(paths, release.id)
  await makePrivateFolder(paths.temporary)
  const own = {...paths, lock: places.lock, holder: places.holder}
  return withLock(own, options.command, async () => {
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
  const run = async (name: StepName, mask: Mask, workOf: () => Promise<Work>): Promise<boolean> => {
    onBegin(name, steps.length + 1, stepCount)
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
    for (const [name, workOf] of following) if (!(await run(name, environments.mask, workOf))) break
  }
  return {...subject, ok: steps.length === stepCount && steps.every(({ok}) => ok), steps}
}

const prepareSteps = async ({paths, release, environment}: TryOptions, folder: string) => {
  const checkpoint = await findCheckpoint(paths, release)
  const secrets = checkpoint?.manifest.secrets ?? []
  const environments = await stepEnvironments({paths, tried: folder, environment, secrets, own: process.env})
  // The database of a remote one is not in it.
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
    leftOut: "the project is no git work tree: a copy of what is not ignored is tried",
  }
}

/** What the verdict is about. */
const subjectOf = async (source: Source, {tree}: Places): Promise<Pick<ReleaseVerification, "commit" | "copy">> =>
  source.is === "commit" ? {commit: source.commit} : {commit: null, copy: await hashSources(tree, source.paths)}

const findCheckpoint = async (
  {checkpoints}: ProjectPaths,
  {restorePoint}: Pick<ReleaseView, "restorePoint">,
): Promise<StoredCheckpoint | undefined> =>
  restorePoint === null
    ? undefined
    : new CheckpointStore(checkpoints).get(restorePoint.checkpoint).catch(() => undefined)
