import {delimiter, dirname} from "node:path"
import {type Environment, readEnvironment} from "../../../config/environment.ts"
import {namesIn} from "../../../config/expand.ts"
import {parseConfig, readConfigText} from "../../../config/load.ts"
import {Mask} from "../../../logs/mask.ts"
import {type ProjectPaths, projectPaths} from "../../../runtime/project.ts"

/** What is not passed on whatever it holds: who called svc, and how, is not the step's business. */
const callers = /^(SVC_|GIT_|npm_(?!config_)|BUN_WHICH_|INIT_CWD$|NODE_ENV$|NODE_CHANNEL_|OLDPWD$|PWD$)/

const readConfigOrEmpty = (config: string): Promise<string> =>
  readConfigText(config).then(
    ({text}) => text,
    () => "",
  )

export interface StepEnvironments {
  /** Of install, build and tests: nothing that the project's configuration or its `.env` files name. */
  readonly plain: Readonly<Record<string, string>>
  /** Of doctor and one-shot start: with the variables that the configuration names. */
  readonly full: Readonly<Record<string, string>>
  /** Hides the values of secrets in what steps print. */
  readonly mask: Mask
}

export interface EnvironmentOptions {
  readonly paths: ProjectPaths
  /** The project as it is tried. */
  readonly tried: string
  /** `.env.<name>` of the project is read over `.env`. */
  readonly environment: string
  /** Names of secrets that plugins' own keys have. */
  readonly secrets: readonly string[]
  readonly own: NodeJS.ProcessEnv
}

/** What each step gets to know. */
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

/** The runtime that runs this comes first; programs that the running tree has installed are not the tried ones. */
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
      // Which of its variables are secret cannot be told.
      mask.hide(valuesOf(namesIn(await readConfigOrEmpty(file))))
    }
  }
  return mask
}
