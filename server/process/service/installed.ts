import {existsSync} from "node:fs"
import {basename, dirname, join} from "node:path"
import {readFileIfExists} from "../../runtime/files.ts"
import {agentPath} from "./launchd.ts"
import {serviceName} from "./service.ts"
import {systemProjects, systemUnits} from "./systemd-system.ts"
import {userUnits} from "./systemd-user.ts"

/** Resolves to this project's enabled services, such as `systemd (svc@alice.service)`, from their files alone. */
export const findServices = async (project: string, name: string, home: string): Promise<readonly string[]> => {
  const found: string[] = []
  const own = `svc-${serviceName(name)}.service`
  const isOwn = async (path: string) => (await readFileIfExists(path))?.includes(project) === true
  if (existsSync(join(userUnits(home), "default.target.wants", own)) && (await isOwn(join(userUnits(home), own))))
    found.push(`systemd (${own})`)
  const instance = `svc@${basename(project)}.service`
  if (dirname(project) === systemProjects && existsSync(join(systemUnits, "multi-user.target.wants", instance)))
    found.push(`systemd (${instance})`)
  if (await isOwn(agentPath(home, name))) found.push("launchd")
  return found
}
