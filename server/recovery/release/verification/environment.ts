import {delimiter, dirname} from "node:path"
import {namesIn} from "../../../config/expand.ts"
import {type Environment, parseConfig, readConfigText, readEnvironment} from "../../../config/load.ts"
import {Mask} from "../../../runtime/logs/mask.ts"
import {type ProjectPaths, projectPaths} from "../../../runtime/project.ts"

/** Variables about the caller of svc, which a step never gets. */
const callers = /^(SVC_|GIT_|npm_(?!config_)|BUN_WHICH_|INIT_CWD$|NODE_ENV$|NODE_CHANNEL_|OLDPWD$|PWD$)/

const readConfigOrEmpty = async (config: string): Promise<string> =>
  (await readConfigText(config).catch(() => undefined))?.text ?? ""

export interface StepEnvironments {
  /** For install, build and tests: without the variables that the project's configuration or its `.env` files name. */
  readonly plain: Readonly<Record<string, string>>
  /** For doctor and one-shot start: with the variables that the configuration names. */
  readonly full: Readonly<Record<string, string>>
  readonly mask: Mask
}

export interface EnvironmentOptions {
  readonly paths: ProjectPaths
  /** The folder of the tried project. */
  readonly tried: string
  /** The name of the project's `.env.<name>` that is read over `.env`. */
  readonly environment: string
  /** The names of secrets in the keys of plugins. */
  readonly secrets: readonly string[]
  readonly own: NodeJS.ProcessEnv
}

export const stepEnvironments = async (options: EnvironmentOptions): Promise<StepEnvironments> => {
  const {paths, tried, environment: name, own} = options
  const environment = await readEnvironment(paths.project, name, own)
  const wanted = namesIn(await readConfigOrEmpty(projectPaths(tried).config))
  const hidden = new Set([
    ...wanted,
    ...namesIn(await readConfigOrEmpty(paths.config)),
    ...environment.files.flatMap(({values}) => Object.keys(values)),
  ])
  const plain: Record<string, string> = {CI: "1"}
  for (const [key, value] of Object.entries(own))
    if (value !== undefined && !hidden.has(key) && !callers.test(key)) plain[key] = value
  plain.PATH = pathWithout(own.PATH ?? "")
  const full = {...plain}
  for (const key of wanted) {
    const value = environment.variables[key]
    if (value !== undefined) full[key] = value
  }
  return {plain, full, mask: await maskOf(options, environment)}
}

/** Returns the PATH with this runtime first, and without the programs that the running project has installed. */
const pathWithout = (path: string): string =>
  [dirname(process.execPath), ...path.split(delimiter).filter(folder => !/node_modules[\\/]\.bin$/.test(folder))].join(
    delimiter,
  )

const maskOf = async ({paths, tried, secrets, own}: EnvironmentOptions, {variables}: Environment): Promise<Mask> => {
  const mask = new Mask()
  const valuesOf = (names: readonly string[]) => names.flatMap(name => variables[name] ?? [])
  mask.hide([...valuesOf(secrets), ...(own.SVC_HTTP_TOKEN === undefined ? [] : [own.SVC_HTTP_TOKEN])])
  for (const file of [paths.config, projectPaths(tried).config]) {
    try {
      mask.hide(parseConfig(await readConfigText(file), variables).secrets)
    } catch {
      // An invalid configuration does not tell which variables are secret, so all of them are hidden.
      mask.hide(valuesOf(namesIn(await readConfigOrEmpty(file))))
    }
  }
  return mask
}
