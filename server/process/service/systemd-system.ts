import {chown, mkdir, readFile, stat} from "node:fs/promises"
import {basename, dirname, join} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import {findProgram} from "../toolchain.ts"
import type {Service, ServiceOptions} from "./service.ts"
import {readTemplate, requireEnvironmentFile, systemdService} from "./systemd.ts"
import {requirePlainPath, requireVisible} from "./unit.ts"

/** The folder in which the template expects the projects, by the name of their user. */
export const systemProjects = "/srv/svc"

export const systemUnits = "/etc/systemd/system"

/** Returns the Host as an instance of the system template `svc@.service`. Throws `service_refused`. */
export const systemdSystemService = (options: ServiceOptions): Service => {
  const {project, packageRoot, runtime} = options
  const instance = basename(project)
  const unit = `svc@${instance}.service`
  const override = join(systemUnits, `${unit}.d/svc.conf`)
  const name = basename(runtime).startsWith("bun") ? "bun" : "node"
  const onPath = findProgram(name, "/usr/local/bin:/usr/bin:/bin")
  const word = onPath === undefined ? runtime : name
  return systemdService({
    name: unit,
    scope: [],
    files: [
      {path: join(systemUnits, "svc@.service"), text: readTemplate(packageRoot)},
      ...(word === "bun" ? [] : [{path: override, text: `[Service]\nEnvironment=SVC_RUNTIME=${word}\n`}]),
    ],
    own: [dirname(override)],
    prepare: async () => {
      if (dirname(project) !== systemProjects) {
        const {uid} = await stat(project)
        const owner = uid === 0 ? undefined : (await readUsers()).find(([, , id]) => id === String(uid))?.[0]
        const user = owner ?? instance
        throw new Problem("service_refused", `the project is in ${project}, not in ${systemProjects}/${user}`, {
          hint: `Move it to ${systemProjects}/${user}, owned by ${user}; or run svc service install --user as ${user}.`,
        })
      }
      const user = await findUser(instance)
      await requireEnvironmentFile(project, user)
      await requireLauncher(project)
      requirePlainPath(word)
      requireVisible(onPath ?? runtime, false)
      for (const folder of [".svc", "data"]) await makeOwned(join(project, folder), user)
    },
    advice: async () => undefined,
  })
}

interface User {
  readonly name: string
  readonly id: number
  readonly group: number
}

const readUsers = async () => (await readFile("/etc/passwd", "utf8")).split("\n").map(line => line.split(":"))

const findUser = async (name: string): Promise<User> => {
  const [, , id, group] = (await readUsers()).find(fields => fields[0] === name) ?? []
  if (id === undefined) {
    throw new Problem("service_refused", `there is no user ${name}; the folder's name must be that of its user`, {
      hint: `useradd --create-home ${name}; chown -R ${name}: ${systemProjects}/${name}`,
    })
  }
  return {name, id: Number(id), group: Number(group)}
}

const requireLauncher = async (project: string): Promise<void> => {
  const launcher = join(project, "node_modules/svc-runtime/cli/launch.js")
  if (await stat(launcher).catch(() => undefined)) return
  throw new Problem("service_refused", `there is no ${launcher}`, {hint: "Install the project's dependencies first."})
}

/** Creates a folder for the user, unless it exists. */
const makeOwned = async (folder: string, {id, group}: User): Promise<void> => {
  if (await stat(folder).catch(() => undefined)) return
  await mkdir(folder, {mode: 0o700})
  await chown(folder, id, group)
}
