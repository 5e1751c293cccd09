import {readEnvironment} from "../config/environment.ts"
import {type ConfigText, type LoadedConfig, parseConfig, readConfigText} from "../config/load.ts"
import {settleRestore} from "../recovery/restore/swap.ts"
import {makePrivateFolder} from "../runtime/files.ts"
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
    await settleRestore(paths)
    return work(paths)
  })
}

/** Finishes or takes back a restore that was cut off, but for one that is under way: then the lock is held. */
export const settleUnlessHeld = async (paths: ProjectPaths): Promise<"finished" | "taken back" | undefined> =>
  (await isLocked(paths)) ? undefined : withLock(paths, "svc", () => settleRestore(paths))

/** A project's configuration as its next start would read it, or another text in its place. Throws `config_invalid`. */
export const loadStopped = async (
  {project, environment}: Pick<StoppedOptions, "project" | "environment">,
  from?: ConfigText,
): Promise<LoadedConfig> => {
  const {variables} = await readEnvironment(project, environment, process.env)
  return parseConfig(from ?? (await readConfigText(projectPaths(project).config)), variables)
}
