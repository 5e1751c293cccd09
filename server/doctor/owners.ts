import {homedir} from "node:os"
import {findDaemon} from "../process/daemon-state.ts"
import {describeOwner, ownerOf} from "../process/owner.ts"
import {findServices} from "../process/service/installed.ts"
import {projectName} from "../project/settings.ts"
import {findHolder} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

export interface OwnerFacts {
  /** Its pid. */
  readonly daemon: number | undefined
  /** Who owns the Host that runs, `none` for one that nobody starts again; undefined where none runs. */
  readonly host: string | undefined
  /** Is that Host a container's main process? */
  readonly isContainer: boolean
  /** Enabled: started by themselves. */
  readonly services: readonly string[]
}

/** Exactly one layer owns the restarts of this project's Host. */
export const checkOwners = async (paths: ProjectPaths): Promise<Finding> => {
  const daemon = await findDaemon(paths)
  const holder = await findHolder(paths)
  return judgeOwners({
    daemon: daemon?.pid,
    host: holder?.kind === "host" ? describeOwner(ownerOf(holder)) : undefined,
    isContainer: holder?.kind === "host" && holder.pid === 1,
    services: await findServices(paths.project, await projectName(paths), homedir()),
  })
}

export const judgeOwners = ({daemon, host, isContainer, services}: OwnerFacts): Finding => {
  const check = "restarts"
  const owners = new Set<string>(services)
  if (daemon !== undefined) owners.add(`the daemon (pid ${daemon})`)
  const outside = host === undefined || host === "none" || host === "daemon" ? [] : [host]
  for (const each of outside) owners.add(each)
  const names = [...owners]
  if (names.length > 1) {
    return error(
      check,
      `two layers start this project's Host: ${names.join(" and ")}`,
      "Keep one: svc runtime stop ends a daemon, svc service uninstall removes a service.",
    )
  }
  const [owner] = names
  if (host === "daemon" && daemon === undefined)
    return warning(check, "the Host runs, and its daemon was killed", "svc runtime stop, then start the daemon again.")
  if (owner === undefined && isContainer)
    return warning(
      check,
      "the Host is a container's main process, and nothing is known to start it again",
      "Give the container a restart policy, and tell the Host: docker run --restart unless-stopped --env SVC_SUPERVISOR=docker …",
    )
  if (owner === undefined)
    return ok(check, host === undefined ? "nothing starts a Host here" : "nothing starts it again")
  if (host === "none")
    return warning(check, `${owner} starts the Host, and one was started beside it`, "svc runtime stop ends that one.")
  return ok(check, `${owner} alone starts the Host`)
}
