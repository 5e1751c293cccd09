import {readFileSync} from "node:fs"

type Variables = Readonly<Record<string, string | undefined>>

interface Process {
  readonly pid: number
  readonly ppid: number
}

/** By the pid of its supervisor, `svc runtime start --daemon` tells its Host who started it. */
export const daemonVariable = "SVC_DAEMON_PID"

/** Supervisors that only their name as the parent process tells. */
const parents: Readonly<Record<string, string>> = {
  runsv: "runit",
  "s6-supervise": "s6",
  supervise: "daemontools",
  "supervise-daemo": "openrc",
}

/**
 * Who starts the Host again when it exits with 51 or 75, as far as a process can tell; `none` where nobody does.
 * `SVC_SUPERVISOR` names one that leaves no other trace, such as a container's engine: it starts a container again where
 * a restart policy says so, and no container can see its own.
 */
export const findSupervisor = (variables: Variables, own: Process): string => {
  // A daemon that was killed starts nothing again: its Host has another parent then.
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

/** The same, asked at every status: it is looked for again when the process has another parent. */
export const followSupervisor = (variables: Variables, own: Process): (() => string) => {
  let last = {ppid: -1, found: "none"}
  return () => {
    const {ppid} = own
    if (ppid !== last.ppid) last = {ppid, found: findSupervisor(variables, own)}
    return last.found
  }
}

/**
 * Also through a script runner that stands between. What systemd started long ago passes its variables on to sessions
 * and terminals too, but these have a control group of their own.
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

/** A terminal has `0`, what an application with a window starts has the application's name. */
const isStartedByLaunchd = ({XPC_SERVICE_NAME: name = "0"}: Variables): boolean =>
  name !== "0" && !name.startsWith("application.")

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return ""
  }
}
