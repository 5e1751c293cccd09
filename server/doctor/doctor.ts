import type {DatabaseCheck, DatabaseInfo} from "../../shared/api/database.ts"
import type {ReadinessReport} from "../../shared/api/readiness.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {formatIssue, type Problem, toProblem} from "../../shared/problems.ts"
import {type Environment, parseConfig, readConfigText, readEnvironment} from "../config/load.ts"
import {firstOfEach} from "../database/gather.ts"
import type {OnceResult} from "../host/once/once.ts"
import {foldersOf, locationOf} from "../project/settings.ts"
import {loadRuntime} from "../runtime/engines/load-runtime.ts"
import {Mask} from "../runtime/logs/mask.ts"
import {type ProjectPaths, projectPaths} from "../runtime/project.ts"
import {checkAlerts} from "./alerts.ts"
import {checkAuthority} from "./authority.ts"
import {checkRunningBuild} from "./build.ts"
import {
  checkBuild,
  checkBunEnvironment,
  checkClock,
  checkCommitted,
  checkEnvironmentFile,
  checkLockfile,
  checkSpace,
} from "./files.ts"
import {error, type Finding, ok, warning} from "./finding.ts"
import {checkJobs} from "./jobs.ts"
import {checkOwners} from "./owners.ts"
import {checkPages} from "./pages.ts"
import {refusalIn, tryProject} from "./project.ts"
import {
  checkAgents,
  checkInbox,
  checkPlugins,
  checkReadiness,
  checkStoredFiles,
  checkTimers,
  type PluginState,
  type StuckAgents,
  type StuckTimers,
} from "./running.ts"
import {checkDatabase, checkPin, checkPort, checkWorkroom, type HostStatus} from "./state.ts"
import {checkToken, checkTokenAges} from "./tokens.ts"

/** What the running Host answers. What it does not answer is undefined. */
interface Answers {
  readonly report?: ReadinessReport | undefined
  /** Whether its inbox holds events. */
  readonly hasHeldEvents?: boolean | undefined
  readonly timers?: StuckTimers | undefined
  readonly agents?: StuckAgents | undefined
  readonly plugins?: readonly PluginState[] | undefined
  readonly files?: DatabaseInfo["files"] | undefined
  readonly checked?: DatabaseCheck | Problem | undefined
}

export interface DoctorOptions extends Answers {
  /** An absolute path. */
  readonly project: string
  /** Names the `.env.<name>` file. */
  readonly environment: string
  /** Checks only the project's files: not its data, port, disk or clock. */
  readonly isStatic?: boolean
  /** The status of the running Host; `unknown` if it does not answer, undefined if none runs. */
  readonly running: HostStatus | "unknown" | undefined
}

/** Checks a project and its machine without changing either. Every warning and error has a remediation. */
export const examine = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  const {project, environment: name} = options
  const paths = projectPaths(project)
  const environment = await readEnvironment(project, name, process.env)
  const mask = new Mask()
  const loaded = await load(paths, environment, mask)
  const findings: Finding[] = [await checkRuntime(), await checkLockfile(paths, process.env)]
  const tried = isFinding(loaded) ? undefined : await tryProject(project, name)
  if (isFinding(loaded)) findings.push(loaded)
  else if (tried !== undefined)
    findings.push(...checkConfig(tried, loaded), ...checkPages(loaded, tried), ...checkAlerts(loaded, tried))
  findings.push(...environment.files.flatMap(checkEnvironmentFile))
  if (process.versions.bun !== undefined) findings.push(...(await checkBunEnvironment(paths)))
  // A configuration that does not start must not be committed.
  if (tried?.committed === true) findings.push(...(await checkCommitted(paths)))
  findings.push(await checkBuild(paths))
  if (options.isStatic !== true) findings.push(...(await examineState(options, paths, loaded, tried)))
  return firstOfEach(findings, ({check, detail}) => `${check} ${detail}`).map(finding => withoutSecrets(finding, mask))
}

/** Checks everything except the project's files. */
const examineState = async (
  {running, report, hasHeldEvents = false, timers, agents, plugins, files, checked}: DoctorOptions,
  paths: ProjectPaths,
  loaded: ProjectConfig | Finding,
  tried: OnceResult | undefined,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  if (!isFinding(loaded)) {
    const database = await checkDatabase(paths, loaded, running, checked).catch(cause => {
      const {message, hint} = toProblem(cause, "internal")
      return error("database", message, hint)
    })
    findings.push(
      database,
      ...(await checkAuthority(paths, loaded, {running, isSound: database.level === "ok"})),
      ...(await checkWorkroom(paths, loaded, running !== undefined)),
      await checkPort(paths, loaded, running !== undefined),
      ...checkPin(running),
      ...(await checkTokenAges(paths, loaded, Date.now())),
    )
  }
  findings.push(...(await checkRunningBuild(paths, running)))
  if (report !== undefined) findings.push(...checkReadiness(report.components))
  findings.push(...checkInbox(hasHeldEvents))
  if (timers !== undefined) findings.push(...checkTimers(timers))
  if (agents !== undefined) findings.push(...checkAgents(agents))
  if (plugins !== undefined) findings.push(...checkPlugins(plugins))
  if (files !== undefined) findings.push(...checkStoredFiles(files))
  const folders = isFinding(loaded) ? [paths.state] : foldersOf(locationOf(loaded, paths), paths)
  findings.push(...(await checkSpace(folders)), ...(await checkJobs(paths, tried)))
  findings.push(await checkClock(paths, Date.now()), await checkOwners(paths))
  return findings
}

/** Masks secrets: the error of a database or a plugin may repeat one. */
const withoutSecrets = (finding: Finding, mask: Mask): Finding => ({...finding, detail: mask.text(finding.detail)})

const isFinding = (value: ProjectConfig | Finding): value is Finding => "level" in value

/** Names the runtime. A runtime that is too old never gets here (cli/launch.js). */
const checkRuntime = async (): Promise<Finding> => {
  const {name, version} = await loadRuntime()
  return ok("runtime", name === "bun" ? `Bun ${version}` : `Node ${version}`)
}

const load = async (paths: ProjectPaths, environment: Environment, mask: Mask): Promise<ProjectConfig | Finding> => {
  try {
    const {config, secrets} = parseConfig(await readConfigText(paths.config), environment.variables)
    mask.hide(secrets)
    return config
  } catch (cause) {
    return configFinding(toProblem(cause, "internal"))
  }
}

const configFinding = (problem: Problem): Finding =>
  error("configuration", problem.issues.map(formatIssue).join("\n") || problem.message, problem.hint)

const checkConfig = (tried: OnceResult, config: ProjectConfig): Finding[] => {
  const problem = refusalIn(tried)
  return [
    problem === undefined
      ? ok("configuration", `svc.config.yml is valid; plugins: ${Object.keys(config.plugins).join(", ") || "none"}`)
      : configFinding(problem),
    ...(tried.committed ? tried.notes : []).map(note =>
      warning("plugins", note, "Correct the plugin as the note says."),
    ),
    ...(tried.committed ? tried.warnings : []).map(issue =>
      warning("agents", formatIssue(issue), "Correct the binding, then: svc config check"),
    ),
    ...(tried.committed ? checkReadiness(tried.components) : []),
    ...checkToken(config),
  ]
}
