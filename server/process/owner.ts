import {readFileSync} from "node:fs"
import type {Holder} from "../runtime/lock.ts"

/** The supervisor that restarts the Host of a project, and the command that stops it. */
export interface Owner {
  /** The name from `findSupervisor`. */
  readonly name: string
  /** The systemd unit. */
  readonly unit?: string
  /** The operator's command; undefined if svc stops it itself or does not know the command. */
  readonly stop?: string
}

const stops: Readonly<Record<string, string>> = {
  kubernetes: "kubectl scale deployment/<name> --replicas=0",
  docker: "docker compose stop, or docker stop <container>",
  podman: "podman stop <container>",
  launchd: "svc service uninstall, or launchctl bootout gui/$(id -u)/<label>",
  pm2: "pm2 stop <name>",
  supervisord: "supervisorctl stop <name>",
  runit: "sv stop <service>",
  s6: "s6-svc -d <service folder>",
  openrc: "rc-service <name> stop",
}

export const ownerOf = ({supervisor = "none", pid}: Holder): Owner => {
  if (supervisor !== "systemd") {
    const stop = stops[supervisor]
    return {name: supervisor, ...(stop === undefined ? {} : {stop})}
  }
  const unit = findUnit(pid)
  if (unit === undefined) return {name: supervisor, stop: "systemctl stop <unit>"}
  return {name: supervisor, unit: unit.name, stop: `systemctl ${unit.isUser ? "--user " : ""}stop ${unit.name}`}
}

/** Returns, for example, `systemd (svc@alice.service)`. */
export const describeOwner = ({name, unit}: Owner): string => (unit === undefined ? name : `${name} (${unit})`)

/** Reads the unit of a process from its control group. A unit of a user's manager has the manager's unit above it. */
const findUnit = (pid: number): {name: string; isUser: boolean} | undefined => {
  try {
    const [path = ""] = /^(?:0:|\d+:name=systemd):.*$/m.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8")) ?? []
    const units = path.split("/").filter(part => part.endsWith(".service"))
    const name = units.at(-1)
    return name === undefined
      ? undefined
      : {name, isUser: /^user@\d+\.service$/.test(units[0] ?? "") && units.length > 1}
  } catch {
    return undefined
  }
}
