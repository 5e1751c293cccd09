import {type Issue, Problem} from "../../shared/problems.ts"
import {takeOverConsole} from "../logs/console.ts"
import {createLogs} from "../logs/log.ts"
import {type OnceResult, startOnce} from "../offline/once.ts"
import {loadRuntime} from "../runtime/load-runtime.ts"

/** Does a one-shot start that logs nothing and silences the console of plugins. Reads `.env.<environment>` over `.env`. */
export const tryProject = async (project: string, environment: string): Promise<OnceResult> => {
  const logs = createLogs({level: "fatal", format: "pretty", colors: false, write: () => {}})
  takeOverConsole(logs.log)
  return startOnce({project, mode: "development", environment, logs}, await loadRuntime())
}

export interface ProjectCheck {
  /** The reason why the Host would not commit the configuration; undefined if it would. */
  readonly problem: Problem | undefined
  /** The places of agent bindings that are not configured. */
  readonly warnings: readonly Issue[]
}

/** Checks whether the Host would commit the project's configuration. */
export const checkProject = async (project: string, environment: string): Promise<ProjectCheck> => {
  const tried = await tryProject(project, environment)
  return {problem: refusalIn(tried), warnings: tried.committed ? tried.warnings : []}
}

/** Returns the problem that kept a one-shot start from committing. */
export const refusalIn = (result: OnceResult): Problem | undefined =>
  result.committed
    ? undefined
    : new Problem(result.code as Problem["code"], result.detail, {hint: result.hint, issues: result.issues})
