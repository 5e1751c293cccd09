import {projectName, requireProject} from "../project/settings.ts"
import {projectPaths} from "../runtime/project.ts"
import {version} from "../runtime/version.ts"

/** Resolves to the project and version that a folder's Host would have, or to undefined if the folder has no project. */
export const expectedHost = async (
  folder: string,
): Promise<{readonly project: string; readonly version: string} | undefined> => {
  const paths = projectPaths(folder)
  const isProject = await requireProject(paths).then(
    () => true,
    () => false,
  )
  return isProject ? {project: await projectName(paths), version} : undefined
}
