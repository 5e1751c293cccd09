import {basename} from "node:path"
import {isObject} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {expand, referencesIn} from "../../config/expand.ts"
import {readConfigText} from "../../config/load.ts"
import {parseSource} from "../../config/text/source.ts"
import {readJsonIfExists} from "../../runtime/files.ts"
import {findLockfile} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Deployment} from "./deployments.ts"

export interface DeploymentValues {
  /** A DNS label, which is also the name of images, services and volumes. */
  readonly name: string
  readonly port: number
  readonly runtime: "bun" | "node"
}

/** The values from the command line, which override the project's. */
export type GivenValues = {readonly [Name in keyof DeploymentValues]?: DeploymentValues[Name] | undefined}

/** The values of a project, and notes about settings that do not fit the template. */
export interface ReadProject {
  readonly values: DeploymentValues
  /** The variables of svc.config.yml with their defaults. */
  readonly variables: ReturnType<typeof referencesIn>
  readonly notes: readonly string[]
}

/** Reads both from package.json, svc.config.yml and the lockfile. Throws `project_missing`, `config_invalid`, `deployment_refused`. */
export const readProjectFor = async (
  deployment: Deployment,
  paths: ProjectPaths,
  given: GivenValues,
): Promise<ReadProject> => {
  const {file, text} = await readConfigText(paths.config)
  const {raw} = parseSource(file, text)
  const http = childOf(raw, "http")
  const lockfile = (await findLockfile(paths.project))?.name
  const name = labelOf(given.name ?? childOf(await readJsonIfExists(paths.manifest), "name") ?? basename(paths.project))
  const port = given.port ?? portOf(childOf(http, "port"))
  const runtime = given.runtime ?? (lockfile === undefined || lockfile.startsWith("bun.") ? "bun" : "node")
  return {
    values: {name, port, runtime},
    variables: referencesIn(raw),
    notes: [...configNotes(deployment, http), ...lockfileNotes(deployment, lockfile, runtime)],
  }
}

const childOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)

/** Turns `@team/My_Bot` into `my-bot`. Leaves room for the suffixes that templates add. */
const labelOf = (name: unknown): string => {
  const label = String(name)
    .replace(/^@[^/]*\//, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "")
  if (label !== "") return label
  throw new Problem("deployment_refused", "the project has no name with letters or digits", {
    hint: "Set name in package.json, or use --name.",
  })
}

/** Returns `http.port` with the defaults of its variables. */
const portOf = (raw: unknown): number => {
  const expanded = expand(String(raw ?? 8068), {})
  const port = Number(expanded.is === "text" ? expanded.text : Number.NaN)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Problem("deployment_refused", `http.port is ${String(raw)}, which is not a port number for a template`, {
    hint: "Write ${HTTP_PORT:-8068} in svc.config.yml, or use --port.",
  })
}

const configNotes = ({isContainer}: Deployment, http: unknown): string[] => {
  const [token, host] = [childOf(http, "token"), childOf(http, "host")]
  const notes = []
  if (token === undefined)
    notes.push("svc.config.yml does not set http.token; production needs token: ${HTTP_TOKEN} under http:")
  else if (token !== "${HTTP_TOKEN}")
    notes.push("http.token in svc.config.yml is not ${HTTP_TOKEN}, which the template requires")
  if (isContainer && host !== "0.0.0.0" && !String(host).startsWith("${HTTP_HOST"))
    notes.push(
      "inside a container http.host must be 0.0.0.0; the template sets HTTP_HOST, so write host: ${HTTP_HOST:-127.0.0.1} in svc.config.yml",
    )
  return notes
}

const wanted = {bun: ["bun.lock", "bun.lockb"], node: ["package-lock.json"]} as const

const lockfileNotes = ({isContainer}: Deployment, lockfile: string | undefined, runtime: "bun" | "node"): string[] =>
  !isContainer || wanted[runtime].some(name => name === lockfile)
    ? []
    : [`the image needs ${wanted[runtime][0]}, but the project has ${lockfile ?? "no lockfile"}`]
