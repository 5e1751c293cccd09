import {constants} from "node:fs"
import {access} from "node:fs/promises"
import {join} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {hashFile} from "../checkpoint/files.ts"
import {projectFiles, readCode} from "../checkpoint/provenance.ts"

const readOnly = new Set(["EROFS", "EACCES", "EPERM"])

/** May the project's own files be replaced, or are they an image's? */
export const isWritable = async ({project}: ProjectPaths): Promise<boolean> => {
  try {
    // Nothing is tried out: whatever is made for that would stay where the process is killed.
    await access(project, constants.W_OK)
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && readOnly.has(String(cause.code))) return false
    throw new Problem("restore_refused", `${project} cannot be written: ${messageOf(cause)}`, {cause})
  }
}

/** How a project's code, configuration and lockfile differ from those of a checkpoint. */
export const compareDeployment = async ({project}: ProjectPaths, manifest: Manifest): Promise<readonly string[]> => {
  const differences: string[] = []
  const code = await readCode(project, process.env)
  for (const what of ["commit", "image"] as const) {
    const [here, there] = [code[what], manifest.code[what]]
    if (here !== null && there !== null && here !== there) differences.push(`the ${what} is ${here}, not ${there}`)
  }
  const named = new Map(manifest.files.map(({path, sha256}) => [path, sha256]))
  for (const name of projectFiles) {
    const here = await hashFile(join(project, name)).then(
      ({sha256}) => sha256,
      () => undefined,
    )
    if (here === named.get(name)) continue
    differences.push(
      here === undefined ? `${name} is missing` : named.has(name) ? `${name} differs` : `${name} is one too many`,
    )
  }
  return differences
}

/** Throws `restore_mismatch`, naming what to deploy. */
export const requireSameDeployment = async (paths: ProjectPaths, manifest: Manifest): Promise<void> => {
  const differences = await compareDeployment(paths, manifest)
  if (differences.length === 0) return
  const {image, commit} = manifest.code
  const wanted =
    image !== null
      ? `the image ${image}`
      : commit !== null
        ? `the image built from commit ${commit}`
        : "the image that made it"
  throw new Problem(
    "restore_mismatch",
    `the project is read-only, and not that of ${manifest.id}: ${differences.join("; ")}`,
    {
      hint: `Deploy ${wanted}, then restore.`,
    },
  )
}
