import {existsSync} from "node:fs"
import {join} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import {makePrivateFolder, readFileIfExists} from "../../runtime/files.ts"
import {requireEnvironmentFile} from "./environment-file.ts"
import {run} from "./run.ts"
import {type Service, type ServiceOptions, serviceName} from "./service.ts"
import {readTemplate, systemdService} from "./systemd.ts"
import {userUnit} from "./unit.ts"

/** The folder in which a user's own units are. */
export const userUnits = (home: string): string => join(home, ".config/systemd/user")

/**
 * The Host as a unit of the user's own manager. Throws `service_failed` where that manager cannot be reached,
 * `service_refused`.
 */
export const systemdUserService = (options: ServiceOptions): Service => {
  const {project, user, env} = options
  const name = serviceName(options.name)
  const unit = `svc-${name}.service`
  const path = join(userUnits(user.home), unit)
  const text = userUnit(readTemplate(options.packageRoot), {...options, name})
  const prepare = async () => {
    await requireOwn(path, project)
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

/** Two projects of one name would take each other's unit. */
const requireOwn = async (path: string, project: string): Promise<void> => {
  const there = await readFileIfExists(path)
  if (there === undefined || there.split("\n").includes(`WorkingDirectory=${project}`)) return
  const [, other = "another one"] = /^WorkingDirectory=(.*)$/m.exec(there) ?? []
  throw new Problem("service_refused", `${path} is of the project in ${other}`, {
    hint: "Uninstall it there, or give one of the projects another name in package.json.",
  })
}

/** systemctl finds the user's manager by this variable alone, which a login sets, and su and sudo do not. */
const requireManager = (env: ServiceOptions["env"], user: ServiceOptions["user"]): void => {
  if (env.XDG_RUNTIME_DIR !== undefined && env.XDG_RUNTIME_DIR !== "") return
  const folder = `/run/user/${user.id}`
  const runs = existsSync(folder)
  throw new Problem(
    "service_failed",
    "XDG_RUNTIME_DIR is not set, so that systemd's manager of this user is not found",
    {
      hint: runs
        ? `su and sudo do not set it. Repeat it with: export XDG_RUNTIME_DIR=${folder}`
        : `No manager runs for ${user.name}. As root: loginctl enable-linger ${user.name}; then here: export XDG_RUNTIME_DIR=${folder}`,
    },
  )
}

/** Without lingering, a user's manager ends with the last login, and does not start with the machine. */
const lingering = async (user: string): Promise<string | undefined> => {
  const {stdout} = await run("loginctl", ["show-user", user, "--property=Linger", "--value"]).catch(() => ({
    stdout: "",
  }))
  if (stdout.trim() === "yes") return undefined
  return `it ends when ${user} logs out, and does not start with the machine, until lingering is on: sudo loginctl enable-linger ${user}`
}
