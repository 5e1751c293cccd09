import {realpath} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {isThere} from "../../runtime/files.ts"
import {lockfiles} from "../../runtime/packages/lockfile.ts"
import {git} from "../files/git.ts"

/** The project files that a checkpoint copies, if they exist. */
export const projectFiles = ["svc.config.yml", "package.json", ...lockfiles] as const

/** Resolves to undefined if git fails, or takes longer than ten seconds. */
export const tryGit = (project: string, args: readonly string[]): Promise<string | undefined> =>
  git(project, args, {limit: 10_000}).catch(() => undefined)

/** Resolves to whether the folder or one above it has a repository, so that a Host outside of any need not start git. */
const isInRepository = async (folder: string): Promise<boolean> =>
  (await isThere(join(folder, ".git"))) || (dirname(folder) !== folder && (await isInRepository(dirname(folder))))

/** Resolves to the commit, or to null if it is unknown. */
export const readCommit = async (project: string, environment: NodeJS.ProcessEnv): Promise<string | null> => {
  if (environment.SVC_COMMIT) return environment.SVC_COMMIT
  if (!(await isInRepository(await realpath(project)))) return null
  return (await tryGit(project, ["rev-parse", "--verify", "--quiet", "HEAD"])) ?? null
}

/**
 * Resolves to the code in a project's folder: SVC_COMMIT and SVC_IMAGE, which an image without git sets, else the commit of
 * its git work tree and whether that is clean. The file `stored` and copies beside it, such as `<stored>.before-…`, do not
 * count.
 */
export const readCode = async (
  project: string,
  environment: NodeJS.ProcessEnv,
  stored?: string,
): Promise<Manifest["code"]> => {
  const image = environment.SVC_IMAGE || null
  const commit = await readCommit(project, environment)
  if (environment.SVC_COMMIT || commit === null) return {commit, clean: null, image}
  const changes = await tryGit(project, [
    "status",
    "--porcelain",
    "--",
    ".",
    ...(stored === undefined ? [] : [`:(exclude)${stored}*`]),
  ])
  return {commit, clean: changes === undefined ? null : changes === "", image}
}
