import {mkdir, readFile, writeFile} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import {Problem} from "../../shared/problems.ts"
import {readFileIfExists} from "../runtime/files.ts"
import {projectPaths} from "../runtime/project.ts"
import {installedVersion} from "../runtime/version.ts"
import {type DeploymentValues, type GivenValues, readProjectFor} from "./deployment-values.ts"
import {type Deployment, type DeploymentName, deployments, sample} from "./deployments.ts"

/**
 * What becomes of a file: it is not there yet; it is what the template makes; it is something else; or it is there, and
 * belongs to others too.
 */
export type FileState = "new" | "same" | "changed" | "kept"

export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string
  readonly state: FileState
  /** What stands there; empty where nothing does. */
  readonly before: string
  /** What the template makes of it. */
  readonly after: string
}

/** What adding a template would do to a project. */
export interface DeploymentPlan {
  readonly template: DeploymentName
  readonly values: DeploymentValues
  readonly files: readonly PlannedFile[]
  /** What in the project the template does not get along with. */
  readonly notes: readonly string[]
  readonly next: readonly string[]
}

export interface DeploymentOptions {
  readonly template: DeploymentName
  /** Its folder. */
  readonly project: string
  /** The folder of the svc package. */
  readonly packageRoot: string
  readonly given?: GivenValues
}

/** Throws `not_found` for a name that no template has. */
export const deploymentName = (text: string): DeploymentName => {
  const names = Object.keys(deployments) as DeploymentName[]
  const found = names.find(name => name === text)
  if (found !== undefined) return found
  throw new Problem("not_found", `there is no deployment template "${text}"`, {hint: `There are ${names.join(", ")}.`})
}

/**
 * Reads what adding a template would do; changes nothing. Throws `project_missing`, `config_invalid`, and
 * `deployment_refused` where the project's svc does not serve what the template probes.
 */
export const planDeployment = async (options: DeploymentOptions): Promise<DeploymentPlan> => {
  const paths = projectPaths(resolve(options.project))
  const deployment: Deployment = deployments[options.template]
  const {values, notes} = await readProjectFor(deployment, paths, options.given ?? {})
  const refusal = whyNotReady(deployment, await installedVersion(paths.project))
  if (refusal !== undefined)
    throw new Problem("deployment_refused", `the template probes /pub/ready, and ${refusal}`, {
      hint: `Install svc ${readySince.join(".")} or newer in the project first; its Host would never be ready.`,
    })
  const files = await Promise.all(
    deployment.files.map(async ({from, to, isShared}): Promise<PlannedFile> => {
      const after = fill(await readFile(join(options.packageRoot, from), "utf8"), deployment, values)
      const before = await readFileIfExists(join(paths.project, to))
      return {path: to, state: stateOf(before, after, isShared === true), before: before ?? "", after}
    }),
  )
  const next = deployment.next.map(step => fill(step, deployment, values))
  return {template: options.template, values, files, notes, next}
}

const stateOf = (before: string | undefined, after: string, isShared: boolean): FileState => {
  if (before === undefined) return "new"
  if (before === after) return "same"
  return isShared ? "kept" : "changed"
}

/** A template's text with a project's values in the place of the sample's. */
export const fill = (text: string, {onNode}: Deployment, {name, port, runtime}: DeploymentValues): string => {
  const forRuntime = runtime === "bun" ? text : onNode.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  return forRuntime
    .replace(new RegExp(`\\b${sample.name}\\b`, "g"), name)
    .replace(new RegExp(`\\b${sample.port}\\b`, "g"), String(port))
}

/** `/pub/ready` has been there from this version on. */
const readySince = [0, 1, 0] as const

/** Why a project with this version of svc cannot have the template; undefined where it can. */
export const whyNotReady = ({probes}: Deployment, version: string | undefined): string | undefined => {
  if (!probes.includes("/pub/ready")) return undefined
  if (version === undefined) return "the project has no svc installed"
  return isOlder(version) ? `the project's svc ${version} does not serve it` : undefined
}

const isOlder = (version: string): boolean => {
  const [, numbers = "", before] = /^(\d+\.\d+\.\d+)(-.*)?/.exec(version) ?? []
  const parts = numbers.split(".").map(Number)
  const at = readySince.findIndex((since, index) => parts[index] !== since)
  // What comes before a version, such as 0.1.0-rc.1, is older than it.
  return at === -1 ? before !== undefined : !((parts[at] ?? 0) > (readySince[at] ?? 0))
}

/** The files of a plan that stand in its way: what is in them would be lost. */
export const changedFiles = ({files}: DeploymentPlan): readonly string[] =>
  files.filter(({state}) => state === "changed").map(({path}) => path)

/**
 * Writes what is new, and of what was changed the files in `replaced`. Throws `deployment_changed`, before it writes
 * anything, where a changed file is in neither `replaced` nor `left`.
 */
export const applyDeployment = async (
  project: string,
  plan: DeploymentPlan,
  decided: {readonly replaced: readonly string[]; readonly left: readonly string[]},
): Promise<readonly string[]> => {
  const open = changedFiles(plan).filter(path => !decided.replaced.includes(path) && !decided.left.includes(path))
  if (open.length > 0) throw new Problem("deployment_changed", `not what the template makes: ${open.join(", ")}`)
  const written = plan.files.filter(({path, state}) => state === "new" || decided.replaced.includes(path))
  for (const {path, after} of written) {
    const target = join(resolve(project), path)
    await mkdir(dirname(target), {recursive: true})
    await writeFile(target, after)
  }
  return written.map(({path}) => path)
}
