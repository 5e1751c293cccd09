import {existsSync, readFileSync} from "node:fs"
import {chmod, mkdir, rm, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import {readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {mustRun, run} from "./run.ts"
import type {Service, ServiceFile, ServiceState} from "./service.ts"
import {notifying} from "./unit.ts"

/** Checks the project's `.env`: its mode must be 0600, and its owner the service's user. Throws `service_refused`. */
export const requireEnvironmentFile = async (project: string, user: {id: number; name: string}): Promise<void> => {
  const path = join(project, ".env")
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    throw new Problem("service_refused", `there is no ${path}`, {
      hint: "Run install -m 0600 .env.example .env, and replace HTTP_TOKEN in it.",
    })
  }
  const mode = (found.mode & 0o777).toString(8)
  if (mode !== "600" || found.uid !== user.id) {
    throw new Problem("service_refused", `${path} has mode ${mode} and belongs to uid ${found.uid}`, {
      hint: `chown ${user.name} ${path} && chmod 600 ${path}`,
    })
  }
}

/** One systemd unit, of the system's manager or of a user's. */
export interface Unit {
  readonly name: string
  /** The first arguments of each systemctl call: `--user`, or none. */
  readonly scope: readonly string[]
  readonly files: readonly ServiceFile[]
  /** Checks the project. Throws `service_refused`. */
  prepare(): Promise<void>
  /** The files that are removed with the unit. A template is not among them: other instances may use it. */
  readonly own: readonly string[]
  /** Resolves to advice that is printed after the start. */
  advice(): Promise<string | undefined>
}

export const systemdService = (unit: Unit): Service => {
  const {name, scope, files, own} = unit
  const systemctl = (...args: readonly string[]) => mustRun("systemctl", [...scope, ...args])
  const state = async (): Promise<ServiceState> => {
    const shown = parseProperties(await systemctl("show", name, `--property=${properties}`))
    return {
      manager: "systemd",
      name,
      installed: shown.LoadState === "loaded",
      enabled: shown.UnitFileState === "enabled",
      // With Type=notify, a Host that waits for its port or database runs in the state "start".
      running: shown.ActiveState === "active" || shown.SubState === "start",
      state: describeUnit(shown),
      pid: Number(shown.MainPID) || null,
      restarts: Number(shown.NRestarts ?? 0),
      file: shown.FragmentPath ?? "",
    }
  }
  return {
    files,
    state,
    install: async report => {
      await unit.prepare()
      let changed = false
      for (const {path, text} of files) {
        if ((await readFileIfExists(path)) === text) continue
        await mkdir(dirname(path), {recursive: true})
        await writeUnit(path, text)
        report(`wrote ${path}`)
        changed = true
      }
      await systemctl("daemon-reload")
      const before = await state()
      if (!before.enabled) {
        await systemctl("enable", name)
        report(`enabled ${name}`)
      }
      if (!before.running || changed) {
        // systemd does not start a unit that failed too often until its failures are reset.
        if (before.state.startsWith("failed")) await systemctl("reset-failed", name)
        // With Type=notify systemctl would wait until the Host has started.
        await systemctl("restart", "--no-block", name)
        report(`${before.running ? "restarted" : "started"} ${name}`)
      } else report(`${name} is already installed and running`)
      const advice = await unit.advice()
      if (advice !== undefined) report(advice)
    },
    uninstall: async report => {
      if ((await state()).installed) {
        await systemctl("disable", "--now", name)
        report(`stopped and disabled ${name}`)
      }
      for (const path of own.filter(existsSync)) {
        await rm(path, {recursive: true})
        report(`removed ${path}`)
      }
      await systemctl("daemon-reload")
      await run("systemctl", [...scope, "reset-failed", name])
    },
    logs: ({follow, lines}) => {
      const options = [`--unit=${name}`, `--lines=${lines}`, "--output=cat", "--no-pager"]
      return ["journalctl", ...scope, ...options, ...(follow ? ["--follow"] : [])]
    },
  }
}

const properties = "LoadState,ActiveState,SubState,UnitFileState,MainPID,NRestarts,Result,FragmentPath"

const parseProperties = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name = "", value = ""]) => [name, value]))

const describeUnit = ({ActiveState = "", SubState = "", Result = ""}: Readonly<Record<string, string>>): string =>
  `${ActiveState} (${SubState}${Result === "success" || Result === "" ? "" : `, ${Result}`})`

/** Writes a unit that everyone may read: it contains no secret, and systemd warns about units that it cannot read. */
const writeUnit = async (path: string, text: string): Promise<void> => {
  await writeFileAtomic(path, text)
  await chmod(path, 0o644)
}

/** Returns the template in `container/systemd/` for this machine. Throws `service_failed` if the package lacks it. */
export const readTemplate = (packageRoot: string): string => {
  try {
    return notifying(readFileSync(join(packageRoot, "container/systemd/svc@.service"), "utf8"))
  } catch (cause) {
    throw new Problem("service_failed", "the svc package lacks container/systemd/svc@.service", {cause})
  }
}
