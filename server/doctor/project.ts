import {Problem} from "../../shared/problems.ts"
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

/** What keeps the project's configuration from being committed; nothing for a sound one. */
export const checkProject = async (project: string, environment: string): Promise<Problem | undefined> =>
  refusalIn(await tryProject(project, environment))

/** What kept a one-shot start from committing. */
export const refusalIn = (result: OnceResult): Problem | undefined =>
  result.committed
    ? undefined
    : new Problem(result.code as Problem["code"], result.detail, {hint: result.hint, issues: result.issues})
