import {join} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {ReleaseVerification, ReleaseView} from "../../../shared/api/release.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {makePrivateFolder, syncFolder} from "../../runtime/files.ts"
import {withLock} from "../../runtime/lock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git} from "../files/git.ts"
import {type CodeChange, codeFolders, planCode, removeEmptyFolders, stageCode} from "../restore/code.ts"
import {giveCodeToOwners, giveToOwners, isWritable} from "../restore/deployment.ts"
import {finishRestore, type RestoreRecord, recorded, stagingName, swapAll, writeRecord} from "../restore/swap.ts"
import {exchangeBuild} from "./exchange.ts"
import {installRecord, placeOfTrial} from "./finish.ts"
import {isPackages, readBuild, readKept, replacedName, type StoredBuild, verifiedName} from "./kept.ts"
import {hashProject, refuse} from "./source.ts"

export interface InstallOptions {
  readonly paths: ProjectPaths
  /** The release under way. */
  readonly release: Pick<ReleaseView, "id" | "verification">
  /** The command line, which other commands see when they are refused. */
  readonly command: string
}

export interface Installed {
  /** The build in the project's files. */
  readonly build: BuildIdentity
  readonly wasInstalled: boolean
  /** The change of the code; null if it was already there. */
  readonly code: Pick<CodeChange, "from" | "to" | "branch" | "isForward"> | null
  /** The replaced entries, relative to the top of the work tree. */
  readonly replaced: readonly string[]
}

/**
 * Replaces the project's code, build and packages by those that `svc release verify` tried: the commit, the output of install
 * and build, and the stamp of its lockfile. After an interruption, `finishInstall` makes the project entirely the old or
 * entirely the verified one. Works beside a running Host, which continues with the code that it has loaded. Throws
 * `release_refused` or `release_not_verified` without changing anything.
 */
export const installRelease = async ({paths, release, command}: InstallOptions): Promise<Installed> => {
  await makePrivateFolder(paths.temporary)
  return withLock(placeOfTrial(paths), command, async () => {
    await finishRestore(installRecord(paths))
    const {verification} = release
    if (verification?.ok !== true)
      throw new Problem("release_not_verified", `the release ${release.id} has no passed verification`, {
        hint: "Run svc release verify first.",
      })
    if (!(await isWritable(paths)))
      throw refuse("the project is read-only", "Deploy the image of the verified commit instead.")
    const kept = await readKept(paths, verifiedName(release.id))
    if (kept === undefined) return requireInstalled(paths, verification)
    return install({paths, release, command}, verification, kept)
  })
}

/** Returns the result of a repeated install. Throws if the build is neither kept nor installed. */
const requireInstalled = async (paths: ProjectPaths, {build}: ReleaseVerification): Promise<Installed> => {
  const now = await readBuild(paths.project)
  if (build?.id === now.id) return {build: now, wasInstalled: true, code: null, replaced: []}
  throw refuse("the verified build is no longer kept", "Run svc release verify again, then install.")
}

const install = async (
  {paths, release}: InstallOptions,
  {commit, copy}: ReleaseVerification,
  kept: StoredBuild,
): Promise<Installed> => {
  const {project} = paths
  const change = commit === null ? await requireSameCopy(paths, copy) : await planInstall(paths, release.id, commit)
  const top = change?.top ?? project
  const prefix = change === undefined ? undefined : await git(project, ["rev-parse", "--show-prefix"])
  const before = await readBuild(project)
  const entries = kept.entries.filter(entry => !isPackages(entry) || before.installed !== kept.build.lockfile)
  const folders = [...new Set([join(top, stagingName), ...(change === undefined ? [] : codeFolders(change))])]
  const record: RestoreRecord = {
    state: "staging",
    checkpoint: `the build of ${release.id}`,
    folders: folders.map(each => recorded(project, each)),
    swaps: [],
    takeBack: true,
  }
  const own = installRecord(paths)
  let replaced: readonly string[] = []
  await writeRecord(own, record)
  try {
    for (const each of folders) for (const name of ["new", "old"]) await makePrivateFolder(join(each, name))
    const staged = change === undefined ? {code: [], git: []} : await stageCode(project, change, new Set())
    const into = {files: kept.files, entries}
    const built = await exchangeBuild({paths, top, prefix, kept: into, before, name: replacedName(release.id)})
    replaced = built.replaced
    await giveToOwners(paths, staged.git)
    await giveCodeToOwners(paths, [...staged.code, ...built.swaps])
    for (const each of folders) await syncFolder(join(each, "new"))
    await swapAll(own, {...record, swaps: [...staged.code, ...staged.git, ...built.swaps]})
  } catch (cause) {
    if ((await finishRestore(own)) !== "finished")
      throw refuse(`nothing was installed: ${messageOf(cause)}`, "Fix the problem, and repeat the command.")
  }
  if (change !== undefined) await removeEmptyFolders(change)
  return {
    build: await readBuild(project),
    wasInstalled: false,
    code: change === undefined || change.from === change.to ? null : change,
    replaced,
  }
}

/** Without git the operator copies the files; throws unless they are those that were tried. */
const requireSameCopy = async (paths: ProjectPaths, copy: string | undefined): Promise<undefined> => {
  if (copy !== undefined && (await hashProject(paths)) === copy) return undefined
  throw refuse("the project's files differ from the verified ones", "Run svc release verify again.")
}

const planInstall = async (paths: ProjectPaths, id: string, commit: string): Promise<CodeChange> => {
  const code = {commit, clean: true, image: null}
  return planCode(paths, {id, code}, {mayForward: true}).catch(error => {
    if (error instanceof Problem && error.code === "rollback_refused") throw refuse(error.message, error.hint)
    throw error
  })
}
