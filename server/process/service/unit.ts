import {dirname} from "node:path"
import {Problem} from "../../../shared/problems.ts"

export interface UserUnit {
  readonly name: string
  readonly project: string
  readonly runtime: string
  readonly launcher: string
}

/** A unit gives other characters a meaning of their own. */
const plainPath = /^[A-Za-z0-9_./@+-]+$/

/** Throws `service_refused` for a path that a unit would read in another way. */
export const requirePlainPath = (path: string): void => {
  if (plainPath.test(path)) return
  throw new Problem("service_refused", `a unit of systemd cannot hold the path ${JSON.stringify(path)}`, {
    hint: "Move it to a path of letters, digits and _ . - + @ only.",
  })
}

/**
 * Lines that only the system's manager can follow. ProtectKernelLogs fails there with 226/NAMESPACE, since ProcSubset has
 * hidden /proc/kmsg (systemd 252); a user may not read it anyway.
 */
const systemOnly = [/^User=/, /^Group=/, /^Wants=/, /^After=/, /^Environment=SVC_RUNTIME=/, /^ProtectKernelLogs=/]

/**
 * The unit of a user's own manager, from the template of the system's: the same hardening and limits, on one project, as
 * the user whose manager it is. Throws `service_refused` for paths that a unit cannot hold.
 */
export const userUnit = (template: string, {name, project, runtime, launcher}: UserUnit): string => {
  for (const path of [project, runtime, launcher]) requirePlainPath(path)
  const changes: readonly (readonly [RegExp, string])[] = [
    [/^# svc as a service[\s\S]*?\n\n/, "# Written by svc service install --user.\n\n"],
    [/^Description=.*$/m, `Description=svc bot runtime of ${name}`],
    [/^(Environment=PATH=)/m, `$1${dirname(runtime)}:`],
    [/^# The package manager is looked for.*$/m, "# The package manager is looked for here."],
    [/^# Required: .*$/m, "# Required: without it nothing starts."],
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
