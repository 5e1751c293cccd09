import {readEnvironment} from "../config/environment.ts"
import {type ConfigText, type LoadedConfig, parseConfig, readConfigText} from "../config/load.ts"
import {settleInstall} from "../recovery/build/settle.ts"
import {settleRestore} from "../recovery/restore/swap.ts"
import {isThere, makePrivateFolder} from "../runtime/files.ts"
import {isLocked, withLock} from "../runtime/lock.ts"
import {type ProjectPaths, projectPaths} from "../runtime/project.ts"

/** What a command does to a project for which no Host runs. */
export interface StoppedOptions {
  readonly project: string
  /** `.env.<name>` is read over `.env`. */
  readonly environment: string
  /** As it was typed, for whoever is refused meanwhile. */
  readonly command: string
}

/** Does work as the one that holds a project. Throws `locked` while a Host runs. */
export const holding = async <T>(
  {project, command}: Pick<StoppedOptions, "project" | "command">,
  work: (paths: ProjectPaths) => Promise<T>,
): Promise<T> => {
  const paths = projectPaths(project)
  await makePrivateFolder(paths.state)
  return withLock(paths, command, async () => {
    await settleInstall(paths, command)
    await settleRestore(paths)
    return work(paths)
  })
}

/**
 * Finishes or takes back what was cut off: an install, and a restore unless one is under way, since then the lock is held.
 * Resolves to what it did, for people.
 */
export const settleUnlessHeld = async (paths: ProjectPaths): Promise<readonly string[]> => {
  const installed = await settleInstall(paths, "svc")
  const restored =
    (await isThere(paths.restore)) && !(await isLocked(paths))
      ? await withLock(paths, "svc", () => settleRestore(paths))
      : undefined
  return [
    ...(installed === undefined ? [] : [`an install that was cut off is ${installed}`]),
    ...(restored === undefined ? [] : [`a restore that was cut off is ${restored}`]),
  ]
}

/** A project's configuration as its next start would read it, or another text in its place. Throws `config_invalid`. */
export const loadStopped = async (
  {project, environment}: Pick<StoppedOptions, "project" | "environment">,
  from?: ConfigText,
): Promise<LoadedConfig> => {
  const {variables} = await readEnvironment(project, environment, process.env)
  return parseConfig(from ?? (await readConfigText(projectPaths(project).config)), variables)
}
