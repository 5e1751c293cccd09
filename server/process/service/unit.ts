import {existsSync, realpathSync} from "node:fs"
import {dirname} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import type {ServiceOptions} from "./service.ts"

export type UserUnit = Pick<ServiceOptions, "name" | "project" | "runtime" | "launcher">

/** Other characters have a special meaning in a unit. */
const plainPath = /^[A-Za-z0-9_./@+-]+$/

/** Throws `service_refused` for a path that systemd would misread in a unit. */
export const requirePlainPath = (path: string): void => {
  if (plainPath.test(path)) return
  throw new Problem("service_refused", `a systemd unit cannot contain the path ${JSON.stringify(path)}`, {
    hint: "Move it to a path with only letters, digits and _ . - + @.",
  })
}

/** Folders that the units hide; the user's units show the homes. */
const hidden = ["/tmp", "/var/tmp", "/dev/shm"]
const homes = ["/home", "/root", "/run/user"]

/** Throws `service_refused` for a file that a unit cannot see, also behind links. */
export const requireVisible = (path: string, isUser: boolean): void => {
  const real = realpathSync(path)
  const folder = [...hidden, ...(isUser ? [] : homes)].find(each => [path, real].some(it => it.startsWith(`${each}/`)))
  if (folder === undefined) return
  throw new Problem("service_refused", `the unit hides ${folder} from the Host, and with it ${real}`, {
    hint: isUser
      ? "Move it below your home."
      : `Install it for all users, such as: install -m 755 ${real} /usr/local/bin/`,
  })
}

/** Where the PATH of the units has the program by which a Host tells systemd how it is. */
const notifiers = ["/usr/local/bin", "/usr/bin", "/bin"].map(folder => `${folder}/systemd-notify`)

/** Returns a unit whose start waits for the Host's notification, if this machine has the program that sends it. */
export const notifying = (unit: string, isPossible = notifiers.some(existsSync)): string =>
  isPossible
    ? unit.replace(
        /^Type=exec$/m,
        "Type=notify\nNotifyAccess=all\n# A Host that waits for its port, database or disk is still starting.\nTimeoutStartSec=infinity",
      )
    : unit

/**
 * Lines that only the system's manager can apply. In a user's manager, ProtectKernelLogs fails with 226/NAMESPACE, because
 * ProcSubset has hidden /proc/kmsg (systemd 252); a user may not read it anyway.
 */
const systemOnly = [/^User=/, /^Group=/, /^Wants=/, /^After=/, /^Environment=SVC_RUNTIME=/, /^ProtectKernelLogs=/]

/**
 * Returns a unit for a user's manager, made from the system's template: the same hardening and limits, for one project, run
 * as that user. Throws `service_refused` for paths that a unit cannot contain.
 */
export const userUnit = (template: string, {name, project, runtime, launcher}: UserUnit): string => {
  for (const path of [project, runtime, launcher]) requirePlainPath(path)
  const changes: readonly (readonly [RegExp, string])[] = [
    [/^# svc as a service[\s\S]*?\n\n/, "# Written by svc service install --user.\n\n"],
    [/^Description=.*$/m, `Description=svc bot runtime of ${name}`],
    [/^(Environment=PATH=)/m, `$1${dirname(runtime)}:`],
    [/^# The PATH of the package manager.*$/m, "# The PATH of the package manager."],
    [/^# Required: .*$/m, "# Required: without it the start fails."],
    [/ %i" \|\|/, ' %u" ||'],
    [/belong to %i"/, 'belong to %u"'],
    [/^ExecStart=\/usr\/bin\/env \S+ \S+/m, `ExecStart=${runtime} ${launcher}`],
    [/^ProtectHome=yes$/m, "ProtectHome=read-only"],
    [/^WantedBy=multi-user.target$/m, "WantedBy=default.target"],
    [/reset-failed svc@<user>/, `--user reset-failed svc-${name}`],
  ]
  const changed = changes.reduce((text, [from, to]) => text.replace(from, to), template)
  return changed
    .split("\n")
    .filter(line => !systemOnly.some(pattern => pattern.test(line)))
    .join("\n")
    .replaceAll("/srv/svc/%i", project)
}
