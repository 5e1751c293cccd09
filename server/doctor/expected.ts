import {projectName, requireProject} from "../project/settings.ts"
import {projectPaths} from "../runtime/project.ts"
import {version} from "../runtime/version.ts"

/** Which Host a folder's project would run; undefined where the folder holds none. */
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
