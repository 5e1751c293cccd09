import {readFileSync} from "node:fs"
import {tryOr} from "../../../shared/try-or.ts"
import type {Variables} from "../../config/expand.ts"

interface Process {
  readonly pid: number
  readonly ppid: number
}

/** The variable with the daemon's pid, by which a Host knows that `svc runtime start --daemon` started it. */
export const daemonVariable = "SVC_DAEMON_PID"

/** Supervisors that only the name of the parent process reveals. */
const parents: Readonly<Record<string, string>> = {
  runsv: "runit",
  "s6-supervise": "s6",
  supervise: "daemontools",
  "supervise-daemo": "openrc",
}

/**
 * Returns the supervisor that restarts the Host after exit code 51 or 75, as far as a process can tell; `none` if there is
 * none. `SVC_SUPERVISOR` names a supervisor that leaves no other trace, such as a container engine: a container cannot see
 * its own restart policy.
 */
export const findSupervisor = (variables: Variables, own: Process): string => {
  // If its daemon was killed, the Host has another parent, and nothing restarts it.
  const daemon = variables[daemonVariable]
  if (daemon !== undefined) return daemon === String(own.ppid) ? "daemon" : "none"
  if (variables.SVC_SUPERVISOR !== undefined && variables.SVC_SUPERVISOR !== "") return variables.SVC_SUPERVISOR
  if (variables.KUBERNETES_SERVICE_HOST !== undefined) return "kubernetes"
  if (isStartedBySystemd(variables, own)) return "systemd"
  if (isStartedByLaunchd(variables)) return "launchd"
  if (variables.pm_id !== undefined) return "pm2"
  if (variables.SUPERVISOR_ENABLED !== undefined && variables.SUPERVISOR_PROCESS_NAME !== undefined)
    return "supervisord"
  return parents[readText(`/proc/${own.ppid}/comm`)] ?? "none"
}

/** Returns a function for repeated calls, which looks for the supervisor again only when the parent process has changed. */
export const followSupervisor = (variables: Variables, own: Process): (() => string) => {
  let last = {ppid: -1, found: "none"}
  return () => {
    const {ppid} = own
    if (ppid !== last.ppid) last = {ppid, found: findSupervisor(variables, own)}
    return last.found
  }
}

/**
 * Returns whether systemd started the process, directly or through a script runner. Sessions and terminals inherit systemd's
 * variables too, but have another control group.
 */
const isStartedBySystemd = (variables: Variables, {pid, ppid}: Process): boolean => {
  const started = variables.SYSTEMD_EXEC_PID
  if (variables.INVOCATION_ID === undefined || started === undefined) return false
  if (started === String(pid)) return true
  return ancestorsOf(ppid).includes(started) && controlGroup(started) === controlGroup(String(pid))
}

const ancestorsOf = (from: number): readonly string[] => {
  const found: string[] = []
  for (let pid = String(from); pid !== "0" && pid !== "" && found.length < 8; pid = parentOf(pid)) found.push(pid)
  return found
}

const parentOf = (pid: string): string => /^PPid:\s+(\d+)$/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? ""

const controlGroup = (pid: string): string => readText(`/proc/${pid}/cgroup`)

/** In a terminal the variable is `0`; below a graphical application it has the application's name. */
const isStartedByLaunchd = ({XPC_SERVICE_NAME: name = "0"}: Variables): boolean =>
  name !== "0" && !name.startsWith("application.")

const readText = (path: string): string => tryOr(() => readFileSync(path, "utf8").trim(), "")
