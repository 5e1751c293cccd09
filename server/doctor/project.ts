import {unreadyIn} from "../../shared/api/configuration/unready.ts"
import {type Issue, Problem} from "../../shared/problems.ts"
import {parseConfig, readConfigText, readEnvironment} from "../config/load.ts"
import {type OnceResult, startOnce} from "../host/once/once.ts"
import {loadRuntime} from "../runtime/engines/load-runtime.ts"
import {takeOverConsole} from "../runtime/logs/console.ts"
import {createLogs} from "../runtime/logs/log.ts"
import {projectPaths} from "../runtime/project.ts"
import {checkAlerts} from "./alerts.ts"
import type {Finding} from "./finding.ts"
import {checkPages} from "./pages.ts"

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
  /** The required components that would not be ready. */
  readonly unready: readonly string[]
  /** Warnings about names in the configuration that nothing has. */
  readonly findings: readonly Finding[]
}

/** Checks whether the Host would commit the project's configuration, and would then be ready. */
export const checkProject = async (project: string, environment: string): Promise<ProjectCheck> => {
  const tried = await tryProject(project, environment)
  if (!tried.committed) return {problem: refusalIn(tried), warnings: [], unready: [], findings: []}
  const {variables} = await readEnvironment(project, environment, process.env)
  const {config} = parseConfig(await readConfigText(projectPaths(project).config), variables)
  const findings = [...checkPages(config, tried), ...checkAlerts(config, tried)].filter(({level}) => level !== "ok")
  return {problem: undefined, warnings: tried.warnings, unready: unreadyIn(tried.components), findings}
}

/** Returns the problem that kept a one-shot start from committing. */
export const refusalIn = (result: OnceResult): Problem | undefined =>
  result.committed
    ? undefined
    : new Problem(result.code as Problem["code"], result.detail, {hint: result.hint, issues: result.issues})
