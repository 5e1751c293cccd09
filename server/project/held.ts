import {type LoadedConfig, parseConfig, readConfigText, readEnvironment} from "../config/load.ts"
import {finishInstall} from "../recovery/build/finish.ts"
import {hostScratch} from "../recovery/checkpoint/scratch.ts"
import {finishRestore} from "../recovery/restore/swap.ts"
import {isThere, leavingNoFolders, makePrivateFolder} from "../runtime/files.ts"
import {isLocked, withLock} from "../runtime/lock.ts"
import {type ProjectPaths, projectPaths} from "../runtime/project.ts"
import {requireProject} from "./settings.ts"

/** The options of a command on a stopped project. */
export interface StoppedOptions {
  readonly project: string
  /** The name of the `.env.<name>` that is read over `.env`. */
  readonly environment: string
  /** The command line, which other processes see when they are refused. */
  readonly command: string
}

/** Does work while this process holds the project. Throws `locked` while a Host runs. */
export const holding = async <T>(
  {project, command}: Pick<StoppedOptions, "project" | "command">,
  work: (paths: ProjectPaths) => Promise<T>,
): Promise<T> => {
  const paths = projectPaths(project)
  return leavingNoFolders([hostScratch(paths.temporary), paths.checkpoints], async () => {
    await makePrivateFolder(paths.state)
    return withLock(paths, command, async () => {
      await finishInstall(paths, command)
      await finishRestore(paths)
      return work(paths)
    })
  })
}

/** Finishes an interrupted install, and a restore if nobody holds the lock. Resolves to messages about it. */
export const finishUnlessHeld = async (paths: ProjectPaths): Promise<readonly string[]> => {
  const installed = await finishInstall(paths, "svc")
  const restored =
    (await isThere(paths.restore)) && !(await isLocked(paths))
      ? await withLock(paths, "svc", () => finishRestore(paths))
      : undefined
  return [
    ...(installed === undefined ? [] : [`an interrupted install was ${installed}`]),
    ...(restored === undefined ? [] : [`an interrupted restore was ${restored}`]),
  ]
}

/** Loads a project's configuration like its next start. Throws `project_missing`, `config_invalid`. */
export const loadStopped = async ({
  project,
  environment,
}: Pick<StoppedOptions, "project" | "environment">): Promise<LoadedConfig> => {
  const paths = projectPaths(project)
  await requireProject(paths)
  const {variables} = await readEnvironment(project, environment, process.env)
  return parseConfig(await readConfigText(paths.config), variables)
}
