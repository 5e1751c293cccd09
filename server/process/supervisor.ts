import {existsSync} from "node:fs"

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Who starts the Host again when it exits with 51 or 75, as far as a process can tell; `none` where nobody does.
 * `SVC_SUPERVISOR` names one that leaves no other trace.
 */
export const findSupervisor = (variables: Variables, {pid, ppid}: {pid: number; ppid: number}): string => {
  if (variables.SVC_SUPERVISOR !== undefined && variables.SVC_SUPERVISOR !== "") return variables.SVC_SUPERVISOR
  if (variables.KUBERNETES_SERVICE_HOST !== undefined) return "kubernetes"
  if (variables.INVOCATION_ID !== undefined && variables.SYSTEMD_EXEC_PID === String(pid)) return "systemd"
  if (variables.XPC_SERVICE_NAME !== undefined && variables.XPC_SERVICE_NAME !== "0") return "launchd"
  if (variables.pm_id !== undefined) return "pm2"
  const inContainer = existsSync("/.dockerenv") || existsSync("/run/.containerenv")
  if (pid === 1 || (inContainer && ppid === 1)) return "container"
  return "none"
}
