import {randomBytes} from "node:crypto"
import {stat} from "node:fs/promises"
import {basename, dirname, resolve} from "node:path"
import {type ProjectConfig, placeholderToken} from "../../shared/config/config.ts"
import {durationOf} from "../../shared/duration.ts"
import type {Mode} from "../../shared/mode.ts"
import {Problem} from "../../shared/problems.ts"
import {Secret} from "../../shared/secret.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {Location} from "../database/database.ts"
import {isMissing, readJsonIfExists} from "../runtime/files.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {weaknessOf} from "./token-strength.ts"

/** Throws `project_missing` if the folder has no configuration. Call it before writing into the folder. */
export const requireProject = async ({project, config}: ProjectPaths): Promise<void> => {
  if (await stat(config).then(() => false, isMissing))
    throw new Problem("project_missing", `there is no svc.config.yml in ${project}`)
}

/** Resolves to the project's name: the one in package.json, else the folder's. */
export const projectName = async (paths: ProjectPaths): Promise<string> => {
  const manifest = (await readJsonIfExists(paths.manifest)) as {name?: unknown} | undefined
  return typeof manifest?.name === "string" ? manifest.name : basename(paths.project)
}

/**
 * Returns the full token: the configured one, or in development one generated for this run. Production requires a configured
 * token, and refuses tokens that can be guessed. Throws `token_missing`, `token_placeholder`, `token_weak`.
 */
export const resolveToken = ({config}: LoadedConfig, mode: Mode): {used: Secret; made: Secret | undefined} => {
  const {token} = config.http
  if (mode === "production") requireStrongTokens(config.http)
  if (token !== undefined) return {used: token, made: undefined}
  if (mode === "production") throw new Problem("token_missing", "http.token is not set")
  const made = new Secret(randomBytes(24).toString("base64url"))
  return {used: made, made}
}

const requireStrongTokens = (http: ProjectConfig["http"]): void => {
  for (const [key, token] of tokensOf(http)) {
    if (token === placeholderToken)
      throw new Problem("token_placeholder", `${key} is the placeholder from .env.example`)
    const weakness = weaknessOf(token)
    if (weakness !== undefined) throw new Problem("token_weak", `${key} ${weakness}`)
  }
}

/** Returns the free space, in bytes, below which the Host pauses ingress. */
export const minimumFreeOf = ({ingress}: Pick<ProjectConfig, "ingress">): number => ingress.minimumFree * 1024 ** 2

/** Returns the configured tokens of the API, by their keys in the configuration. */
export const tokensOf = ({token, previousToken, demoToken}: ProjectConfig["http"]): readonly [string, string][] =>
  Object.entries({
    "http.token": token,
    "http.previousToken.token": previousToken?.token,
    "http.demoToken": demoToken,
  }).flatMap(([key, secret]) => (secret === undefined ? [] : [[key, secret.reveal()]]))

/** Returns the Host's address on this machine, without a trailing slash. */
export const urlOf = ({http: {host, base}}: ProjectConfig, port: number): string => {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}${base}`
}

export const locationOf = ({database}: ProjectConfig, paths: ProjectPaths): Location => {
  const {dialect, url, authToken, filename, timeout} = database
  if (dialect === "libsql" && url !== undefined)
    return {dialect, url, timeout: durationOf(timeout), ...(authToken === undefined ? {} : {authToken})}
  return {dialect: "sqlite", file: filename === undefined ? paths.database : resolve(paths.project, filename)}
}

/** Returns a key that is equal for the same database. */
export const locationKey = (location: Location): string =>
  location.dialect === "sqlite" ? `file ${location.file}` : `remote ${location.url}`

/** Returns the folders in which the Host's data grows: its state, the files of messages, and the folder of a local database. */
export const foldersOf = (location: Location, paths: ProjectPaths): readonly string[] => [
  paths.state,
  paths.files,
  ...(location.dialect === "sqlite" ? [dirname(location.file)] : []),
]
