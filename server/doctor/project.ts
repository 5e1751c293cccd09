import {type Issue, Problem} from "../../shared/problems.ts"
import {takeOverConsole} from "../logs/console.ts"
import {createLogs} from "../logs/log.ts"
import {type OnceResult, startOnce} from "../offline/once.ts"
import {loadRuntime} from "../runtime/load-runtime.ts"

/** A one-shot start that logs nothing, nor lets a plugin's console through; `.env.<environment>` is read over `.env`. */
export const tryProject = async (project: string, environment: string): Promise<OnceResult> => {
  const logs = createLogs({level: "fatal", format: "pretty", colors: false, write: () => {}})
  takeOverConsole(logs.log)
  return startOnce({project, mode: "development", environment, logs}, await loadRuntime())
}

export interface ProjectCheck {
  /** What keeps the project's configuration from being committed; undefined for a sound one. */
  readonly problem: Problem | undefined
  /** Where it has agent bindings that are not configured. */
  readonly warnings: readonly Issue[]
}

/** Whether the project's configuration would be committed. */
export const checkProject = async (project: string, environment: string): Promise<ProjectCheck> => {
  const tried = await tryProject(project, environment)
  return {problem: refusalIn(tried), warnings: tried.committed ? tried.warnings : []}
}

/** What kept a one-shot start from committing. */
export const refusalIn = (result: OnceResult): Problem | undefined =>
  result.committed
    ? undefined
    : new Problem(result.code as Problem["code"], result.detail, {hint: result.hint, issues: result.issues})
