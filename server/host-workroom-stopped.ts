import {hostname} from "node:os"
import {v7 as uuid} from "uuid"
import type {ProjectConfig} from "../shared/config.ts"
import {Problem} from "../shared/problems.ts"
import {readEnvironment} from "./config/environment.ts"
import {parseConfig, readConfigText} from "./config/load.ts"
import {type Database, openDatabase} from "./database/database.ts"
import {locationOf, requireProject} from "./host-settings.ts"
import {readJsonIfExists} from "./runtime/files.ts"
import {acquireLock} from "./runtime/lock.ts"
import {type ProjectPaths, projectPaths} from "./runtime/project.ts"
import {examineTables} from "./workroom/checkpoint.ts"
import {rebuildFiles, rebuildTables, type StoppedVerification, verifyFiles} from "./workroom/rebuild.ts"
import type {Verification} from "./workroom/verify.ts"

/** Checks the workroom of a project whose Host is stopped. Throws `locked`, `workroom_damaged`. */
export const verifyStoppedWorkroom = (project: string): Promise<StoppedVerification | undefined> =>
  alone(project, "svc workroom verify", async ({config, paths}) => {
    if (config.workroom.store === "file") return verifyFiles(paths.state)
    const facts = await withDatabase(config, paths, examineTables)
    return facts === undefined ? undefined : {store: "database", torn: 0, ...facts}
  })

/** Makes its Catalog anew from the Journal. Throws `locked`, `workroom_damaged`. */
export const rebuildStoppedWorkroom = (project: string): Promise<Verification | undefined> =>
  alone(project, "svc workroom rebuild", async ({config, paths}) => {
    if (config.workroom.store === "database") return withDatabase(config, paths, rebuildTables)
    return rebuildFiles(paths.state, await readAuthorityFile(paths))
  })

interface Stopped {
  readonly config: ProjectConfig
  readonly paths: ProjectPaths
}

/** Nobody else writes meanwhile. */
const alone = async <T>(project: string, command: string, work: (stopped: Stopped) => Promise<T>): Promise<T> => {
  const paths = projectPaths(project)
  await requireProject(paths)
  const {variables} = await readEnvironment(project, "production", process.env)
  const {config} = parseConfig(await readConfigText(paths.config), variables)
  const since = new Date().toISOString()
  const holder = {kind: "command", hostname: hostname(), pid: process.pid, runtimeId: "none", command, since} as const
  const lock = await acquireLock(paths, holder)
  try {
    return await work({config, paths})
  } finally {
    await lock.release()
  }
}

const withDatabase = async <T>(
  config: ProjectConfig,
  paths: ProjectPaths,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const {signal} = new AbortController()
  const database = await openDatabase(locationOf(config, paths), {runtimeId: uuid(), signal, onLeaseLost: () => {}})
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** The authority that `.svc/authority.json` names. Throws `authority_mismatch` where it names none. */
export const readAuthorityFile = async ({authority}: ProjectPaths): Promise<string> => {
  const json = await readJsonIfExists(authority)
  if (typeof json === "object" && json !== null && "authority" in json && typeof json.authority === "string") {
    return json.authority
  }
  throw new Problem("authority_mismatch", `${authority} does not hold an authority`)
}
