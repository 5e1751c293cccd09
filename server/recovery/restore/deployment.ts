import {constants, existsSync} from "node:fs"
import {access, chmod, lchown, stat} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {isThere, syncFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {projectFiles, readCode} from "../checkpoint/provenance.ts"
import {hashFile, listTree} from "../files/files.ts"
import type {Swap} from "./swap.ts"

const readOnly = new Set(["EROFS", "EACCES", "EPERM"])

/** Resolves to whether the project's files can be replaced; those of an image cannot. */
export const isWritable = async ({project}: ProjectPaths): Promise<boolean> => {
  try {
    // Writes no test file, because that would remain if the process were killed.
    await access(project, constants.W_OK)
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && readOnly.has(String(cause.code))) return false
    throw new Problem("restore_refused", `cannot write to ${project}: ${messageOf(cause)}`, {cause})
  }
}

/** Resolves to whether a folder has a configuration, a package.json or a lockfile. */
export const hasProjectFiles = async ({project}: ProjectPaths): Promise<boolean> => {
  const found = await Promise.all(projectFiles.map(name => isThere(join(project, name))))
  return found.includes(true)
}

/** A difference between a project and a checkpoint. */
export interface Difference {
  /** Code and packages belong together; the configuration can be replaced alone. */
  readonly of: "code" | "packages" | "configuration"
  readonly text: string
}

/** Resolves to the differences in code, configuration and packages, as far as both sides are known. */
export const compareDeployment = async (
  {project}: ProjectPaths,
  manifest: Manifest,
): Promise<readonly Difference[]> => {
  const differences: Difference[] = []
  const code = await readCode(project, process.env)
  for (const what of ["commit", "image"] as const) {
    const [here, there] = [code[what], manifest.code[what]]
    if (here !== null && there !== null && here !== there)
      differences.push({of: "code", text: `the ${what} is ${here}, not ${there}`})
  }
  const named = new Map(manifest.files.map(({path, sha256}) => [path, sha256]))
  for (const name of projectFiles) {
    const how = await compareFile(join(project, name), named.get(name))
    const of = name === "svc.config.yml" ? "configuration" : "packages"
    if (how !== undefined) differences.push({of, text: `${name} ${how}`})
  }
  return differences
}

const compareFile = async (path: string, wanted: string | undefined): Promise<string | undefined> => {
  const here = (await hashFile(path).catch(() => undefined))?.sha256
  if (here === undefined && !(await isThere(path))) return wanted === undefined ? undefined : "is missing"
  if (wanted === undefined) return "is not in the checkpoint"
  return here === wanted ? undefined : "differs"
}

/** Describes the image that has the code and packages of the checkpoint. */
export const deploymentOf = ({image, commit}: Manifest["code"]): string =>
  image !== null
    ? `the image ${image}`
    : commit !== null
      ? `the image built from commit ${commit}`
      : "the image that made it"

/** Throws `restore_mismatch` for any difference in a read-only project, and names the image to deploy. */
export const requireSameDeployment = ({id, code}: Manifest, differences: readonly Difference[]): void => {
  if (differences.length === 0) return
  const texts = differences.map(({text}) => text).join("; ")
  throw new Problem("restore_mismatch", `the project is read-only and differs from ${id}: ${texts}`, {
    hint: `Deploy ${deploymentOf(code)}, then restore.`,
  })
}

/** Gives staged files the permissions of those that they replace, and under root the owner of the target folder. */
export const giveToOwners = async ({project}: ProjectPaths, swaps: readonly Swap[]): Promise<void> => {
  for (const {target, staged} of swaps) {
    if (staged === null) continue
    const place = resolve(project, staged)
    const goal = resolve(project, target)
    const before = await stat(goal).catch(() => undefined)
    // Other programs read the project's files too, such as package managers, editors or a build.
    const fallback = projectFiles.some(name => goal === join(project, name)) ? 0o644 : undefined
    const mode = before?.isFile() ? before.mode & 0o777 : fallback
    if (mode !== undefined && (await stat(place)).isFile()) await chmod(place, mode)
    await giveAway(place, await stat(dirname(goal)))
    await syncFile(place)
  }
}

/** Gives files of a commit to the owner of their target folder, or of the nearest existing folder above; keeps their mode. */
export const giveCodeToOwners = async ({project}: ProjectPaths, swaps: readonly Swap[]): Promise<void> => {
  for (const {target, staged} of swaps) {
    if (staged === null) continue
    let folder = dirname(resolve(project, target))
    while (!existsSync(folder)) folder = dirname(folder)
    await giveAway(resolve(project, staged), await stat(folder))
  }
}

const giveAway = async (place: string, {uid, gid}: {readonly uid: number; readonly gid: number}): Promise<void> => {
  if (process.getuid?.() !== 0 || uid === 0) return
  await lchown(place, uid, gid)
  for (const {path} of await listTree(place).catch(() => [])) await lchown(join(place, path), uid, gid)
}
