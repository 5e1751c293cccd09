import {existsSync} from "node:fs"
import {join} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import {makePrivateFolder, readFileIfExists} from "../../runtime/files.ts"
import {run} from "./run.ts"
import {type Service, type ServiceOptions, serviceName} from "./service.ts"
import {readTemplate, requireEnvironmentFile, systemdService} from "./systemd.ts"
import {requireVisible, userUnit} from "./unit.ts"

/** Returns the folder of a user's units. */
export const userUnits = (home: string): string => join(home, ".config/systemd/user")

/** Returns the Host as a unit of the user's manager. Throws `service_failed` if that is gone, `service_refused`. */
export const systemdUserService = (options: ServiceOptions): Service => {
  const {project, user, env} = options
  const name = serviceName(options.name)
  const unit = `svc-${name}.service`
  const path = join(userUnits(user.home), unit)
  const text = userUnit(readTemplate(options.packageRoot), {...options, name})
  const prepare = async () => {
    await requireOwn(path, project)
    for (const needed of [project, options.runtime, options.launcher]) requireVisible(needed, true)
    await requireEnvironmentFile(project, user)
    for (const folder of [".svc", "data"]) await makePrivateFolder(join(project, folder))
  }
  const service = systemdService({
    name: unit,
    scope: ["--user"],
    files: [{path, text}],
    own: [path],
    prepare,
    advice: () => lingering(user.name),
  })
  const reachable = <T>(work: () => Promise<T>): Promise<T> => {
    requireManager(env, user)
    return work()
  }
  return {
    ...service,
    install: report => reachable(() => service.install(report)),
    uninstall: report => reachable(() => service.uninstall(report)),
    state: () => reachable(() => service.state()),
  }
}

/** Throws if the unit belongs to another project of the same name. */
const requireOwn = async (path: string, project: string): Promise<void> => {
  const there = await readFileIfExists(path)
  if (there === undefined || there.split("\n").includes(`WorkingDirectory=${project}`)) return
  const [, other = "another one"] = /^WorkingDirectory=(.*)$/m.exec(there) ?? []
  throw new Problem("service_refused", `${path} belongs to the project in ${other}`, {
    hint: "Uninstall it there, or give one of the projects another name in package.json.",
  })
}

/** systemctl finds the user's manager only by XDG_RUNTIME_DIR, which a login sets, but not su or sudo. */
const requireManager = (env: ServiceOptions["env"], user: ServiceOptions["user"]): void => {
  if (env.XDG_RUNTIME_DIR !== undefined && env.XDG_RUNTIME_DIR !== "") return
  const folder = `/run/user/${user.id}`
  const runs = existsSync(folder)
  throw new Problem("service_failed", "XDG_RUNTIME_DIR is not set, so systemctl cannot find this user's systemd", {
    hint: runs
      ? `su and sudo do not set it. Run export XDG_RUNTIME_DIR=${folder}, then repeat the command.`
      : `No systemd is running for ${user.name}. As root, run loginctl enable-linger ${user.name}; then run here: export XDG_RUNTIME_DIR=${folder}`,
  })
}

/** Returns advice if lingering is off: then a user's manager ends at the last logout, and does not start at boot. */
const lingering = async (user: string): Promise<string | undefined> => {
  const {stdout} = await run("loginctl", ["show-user", user, "--property=Linger", "--value"]).catch(() => ({
    stdout: "",
  }))
  if (stdout.trim() === "yes") return undefined
  return `the service stops when ${user} logs out, and does not start at boot, until you turn on lingering: sudo loginctl enable-linger ${user}`
}
