import type {ProjectConfig} from "../../../shared/config/config.ts"
import {Problem} from "../../../shared/problems.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {examineTables} from "../../workroom/checkpoint.ts"
import {rebuildFiles, rebuildTables, type StoppedVerification, verifyFiles} from "../../workroom/rebuild.ts"
import type {Verification} from "../../workroom/verify.ts"
import {readAuthorityFile} from "../authority.ts"
import {holding, loadStopped} from "../held.ts"
import {locationOf} from "../settings.ts"
import {withCurrentDatabase} from "./database.ts"

/** Verifies the workroom of a stopped project. Throws `locked`, `workroom_damaged`, `database_unopenable`. */
export const verifyStoppedWorkroom = (project: string): Promise<StoppedVerification | undefined> =>
  alone(project, "svc workroom verify", async (config, paths) => {
    if (config.workroom.store === "file") return verifyFiles(paths.state)
    const facts = await withCurrentDatabase(locationOf(config, paths), examineTables)
    return facts === undefined ? undefined : {store: "database", torn: 0, ...facts}
  })

/** Rebuilds the Catalog from the Journal. Throws `locked`, `workroom_damaged`, `database_unopenable`. */
export const rebuildStoppedWorkroom = (project: string): Promise<Verification | undefined> =>
  alone(project, "svc workroom verify --rebuild", async (config, paths) => {
    if (config.workroom.store === "database") return withCurrentDatabase(locationOf(config, paths), rebuildTables)
    return rebuildFiles(paths.state, await requireAuthorityFile(paths.authority))
  })

/** Does work while it holds the project, so that no other process writes. */
const alone = async <T>(
  project: string,
  command: string,
  work: (config: ProjectConfig, paths: ProjectPaths) => Promise<T>,
): Promise<T> => {
  const {config} = await loadStopped({project, environment: "production"})
  return holding({project, command}, paths => work(config, paths))
}

const requireAuthorityFile = async (file: string): Promise<string> => {
  const record = await readAuthorityFile(file)
  if (record === undefined) throw new Problem("authority_mismatch", `${file} is missing`)
  return record.authority
}
