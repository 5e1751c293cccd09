import {homedir} from "node:os"
import {findDaemon} from "../process/daemon/daemon-state.ts"
import {describeOwner, ownerOf} from "../process/owner.ts"
import {findServices} from "../process/service/installed.ts"
import {projectName} from "../project/settings.ts"
import {findHolder} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

/** Checks that exactly one supervisor owns the restarts of this project's Host. */
export const checkOwners = async (paths: ProjectPaths): Promise<Finding> => {
  const daemon = await findDaemon(paths)
  const holder = await findHolder(paths)
  const host = holder?.kind === "host" ? describeOwner(ownerOf(holder)) : undefined
  const isContainer = holder?.kind === "host" && holder.pid === 1
  const check = "restarts"
  // The enabled services start without an operator.
  const owners = new Set(await findServices(paths.project, await projectName(paths), homedir()))
  if (daemon !== undefined) owners.add(`the daemon (pid ${daemon.pid})`)
  const outside = host === undefined || host === "none" || host === "daemon" ? [] : [host]
  for (const each of outside) owners.add(each)
  const names = [...owners]
  if (names.length > 1) {
    return error(
      check,
      `two supervisors start this project's Host: ${names.join(" and ")}`,
      "Keep one: svc runtime stop ends a daemon, svc service uninstall removes a service.",
    )
  }
  const [owner] = names
  if (host === "daemon" && daemon === undefined)
    return warning(check, "the Host runs, but its daemon was killed", "svc runtime stop, then start the daemon again.")
  if (owner === undefined && isContainer)
    return warning(
      check,
      "the Host is a container's main process, and svc knows of no restart policy for it",
      "Give the container a restart policy and name the engine: docker run --restart unless-stopped --env SVC_SUPERVISOR=docker …",
    )
  if (owner === undefined)
    return ok(check, host === undefined ? "no supervisor starts a Host here" : "no supervisor will restart this Host")
  if (host === "none")
    return warning(
      check,
      `${owner} starts the Host, but the running one was started by hand`,
      "svc runtime stop ends the one that was started by hand.",
    )
  return ok(check, `only ${owner} starts the Host`)
}
