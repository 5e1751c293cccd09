import {mkdir, readFile, writeFile} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import lt from "semver/functions/lt.js"
import valid from "semver/functions/valid.js"
import {Problem} from "../../../shared/problems.ts"
import {readFileIfExists} from "../../runtime/files.ts"
import {projectPaths} from "../../runtime/project.ts"
import {installedVersion} from "../../runtime/version.ts"
import {notifying} from "../service/unit.ts"
import {type DeploymentValues, type GivenValues, type ReadProject, readProjectFor} from "./deployment-values.ts"
import {type Deployment, type DeploymentName, deployments, sample} from "./deployments.ts"

/**
 * The state of a file: it does not exist; it matches the template; it differs; or it exists and is shared with other
 * templates or the project. An example of `.env` that lacks variables is extended.
 */
export type FileState = "new" | "same" | "changed" | "kept" | "extended"

export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string
  readonly state: FileState
  /** The present content; empty if the file does not exist. */
  readonly before: string
  /** The content by the template. */
  readonly after: string
}

/** The changes that a template would make to a project. */
export interface DeploymentPlan {
  readonly template: DeploymentName
  readonly values: DeploymentValues
  readonly files: readonly PlannedFile[]
  /** Settings of the project that do not fit the template. */
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

/** Returns the template's name. Throws `not_found` if there is no such template. */
export const deploymentName = (text: string): DeploymentName => {
  const names = Object.keys(deployments) as DeploymentName[]
  const found = names.find(name => name === text)
  if (found !== undefined) return found
  throw new Problem("not_found", `there is no template "${text}"`, {hint: `Choose one of ${names.join(", ")}.`})
}

/**
 * Plans the changes of a template without making them. Throws `project_missing`, `config_invalid`, and
 * `deployment_refused` if the project's svc does not serve the paths that the template probes.
 */
export const planDeployment = async (options: DeploymentOptions): Promise<DeploymentPlan> => {
  const paths = projectPaths(resolve(options.project))
  const deployment: Deployment = deployments[options.template]
  const {values, variables, notes} = await readProjectFor(deployment, paths, options.given ?? {})
  const refusal = whyNotReady(deployment, await installedVersion(paths.project))
  if (refusal !== undefined)
    throw new Problem("deployment_refused", `the template probes /pub/ready, and ${refusal}`, {
      hint: `First install svc ${readySince} or newer in the project; otherwise its Host would never be ready.`,
    })
  const files = await Promise.all(
    deployment.files.map(async ({from, to, isShared}): Promise<PlannedFile> => {
      const text = await readFile(join(options.packageRoot, from), "utf8")
      const template = fill(from.endsWith(".service") ? notifying(text) : text, deployment, values)
      const before = await readFileIfExists(join(paths.project, to))
      const file = {path: to, before: before ?? ""}
      if (to !== ".env.example") return {...file, state: stateOf(before, template, isShared === true), after: template}
      const after = withVariables(before ?? template, variables)
      const state = stateOf(before, withVariables(template, variables), true)
      return {...file, state: state === "kept" && before !== after ? "extended" : state, after}
    }),
  )
  const next = deployment.next.map(step => fill(step, deployment, values))
  return {template: options.template, values, files, notes, next}
}

/** Adds a line for each variable that an example of `.env` lacks. A default stays a comment. */
const withVariables = (example: string, variables: ReadProject["variables"]): string => {
  const missing = [...variables].filter(([name]) => !new RegExp(`^[# ]*(export +)?${name} *=`, "m").test(example))
  const lines = missing.map(([name, otherwise]) =>
    otherwise === undefined ? `${name}=\n` : `# ${name}=${otherwise.replace(/\s+/g, " ")}\n`,
  )
  return lines.length === 0 ? example : `${example.replace(/\n*$/, "\n")}${lines.join("")}`
}

const stateOf = (before: string | undefined, after: string, isShared: boolean): FileState => {
  if (before === undefined) return "new"
  if (before === after) return "same"
  return isShared ? "kept" : "changed"
}

/** Returns a template's text with the project's values instead of the sample's. */
export const fill = (text: string, {onNode}: Deployment, {name, port, runtime}: DeploymentValues): string => {
  const forRuntime = runtime === "bun" ? text : onNode.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  return forRuntime
    .replace(new RegExp(`\\b${sample.name}\\b`, "g"), name)
    .replace(new RegExp(`\\b${sample.port}\\b`, "g"), String(port))
}

/** The first version that serves `/pub/ready`. */
const readySince = "0.1.0"

/** Returns why a project with this version of svc cannot use the template, or undefined if it can. */
export const whyNotReady = ({probes}: Deployment, version: string | undefined): string | undefined => {
  if (!probes.includes("/pub/ready")) return undefined
  if (version === undefined) return "the project has no svc installed"
  const isOlder = valid(version) === null || lt(version, readySince)
  return isOlder ? `the project's svc ${version} does not serve it` : undefined
}

/** Returns the files of a plan whose present content would be lost. */
export const changedFiles = ({files}: DeploymentPlan): readonly string[] =>
  files.filter(({state}) => state === "changed").map(({path}) => path)

/** Writes the new and extended files, and the changed files in `replaced`. Resolves to the paths of what it wrote. */
export const applyDeployment = async (
  project: string,
  plan: DeploymentPlan,
  replaced: readonly string[],
): Promise<readonly string[]> => {
  const written = plan.files.filter(
    ({path, state}) => state === "new" || state === "extended" || replaced.includes(path),
  )
  for (const {path, after} of written) {
    const target = join(resolve(project), path)
    await mkdir(dirname(target), {recursive: true})
    await writeFile(target, after)
  }
  return written.map(({path}) => path)
}
