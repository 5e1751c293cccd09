import {Command} from "clipanion"
import {type DaemonState, readDaemonState, whyNoHost} from "../../server/process/daemon/daemon-state.ts"
import {describeOwner, type Owner, ownerOf} from "../../server/process/owner.ts"
import {describeBuild} from "../../server/recovery/build/compare.ts"
import {readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import type {EndpointView} from "../../shared/api/endpoints.ts"
import type {Status} from "../../shared/api/system.ts"
import {isAdmittingOffline} from "../../shared/endpoint-states.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {connectHost, type HostClient} from "../kit/host-client.ts"
import {describeIngress} from "../kit/ingress-view.ts"
import {duration, facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class RuntimeStatus extends DataCommand {
  static override usage = Command.Usage({
    description: "show the running Host: its generation, endpoints, database, build and supervisor",
    details:
      "Exits 0 if a Host is running for the project, ready or not. Exits 1 if none is running; if the project has a daemon, it then shows why the daemon starts no Host.",
    examples: [["The Host of the project in this folder", "svc runtime status"]],
  })

  async run(): Promise<void> {
    const host = await this.#connect()
    const status = await host.get("/api/system/status")
    const endpoints = await host.get("/api/endpoints", {limit: 500})
    const owner = await this.#owner(status.supervisor)
    this.show({...status, endpoints: endpoints.items, owner}, () =>
      describeStatus(host.file.url, host.file.pid, status, endpoints.items, owner),
    )
  }

  /** Throws `host_unreachable`, with the daemon's reason if there is one. */
  async #connect(): Promise<HostClient> {
    try {
      return await connectHost(this.folder)
    } catch (error) {
      const paths = projectPaths(this.folder)
      const why = isProblem(error, "host_unreachable") ? await whyNoHost(paths) : undefined
      if (why === undefined) throw error
      const last = await readDaemonState(paths)
      throw new Problem("host_unreachable", `no Host is running for ${this.folder}: ${why}`, {
        hint: `Read ${last?.logFile}. If the daemon has ended, start it with svc runtime start --daemon.`,
      })
    }
  }

  async #owner(supervisor: string): Promise<StatusOwner> {
    const paths = projectPaths(this.folder)
    const holder = await readHolder(paths)
    const owner = holder === undefined ? {name: supervisor} : {...ownerOf(holder), name: supervisor}
    const state = supervisor === "daemon" ? await readDaemonState(paths) : undefined
    if (state === undefined) return owner
    const {pid, starts, logFile} = state
    return {...owner, daemon: {pid, starts, logFile}}
  }
}

interface StatusOwner extends Owner {
  readonly daemon?: Pick<DaemonState, "pid" | "starts" | "logFile">
}

const describeSupervisor = ({daemon, ...owner}: StatusOwner): string =>
  daemon === undefined
    ? describeOwner(owner)
    : `daemon (pid ${daemon.pid}, ${daemon.starts} starts of the Host, log in ${daemon.logFile})`

const describeStatus = (
  url: string,
  pid: number,
  status: Status,
  endpoints: readonly EndpointView[],
  owner: StatusOwner,
): string => {
  const rows = [
    ["project", status.project],
    ["ready", status.ready ? "yes" : "no (svc doctor shows why)"],
    ["LAST GOOD", status.lastGood && describeLastGood(status.lastGood)],
    ["generation", `${status.generation.number} (${status.generation.reason}), ${status.generation.committedAt}`],
    ["provisional", status.provisional && describeProvisional(status.provisional)],
    ["pinned", status.pin && `generation ${status.pin.number}; svc generation unpin ends it`],
    ["not committed", status.lastFailure?.issues.join("\n")],
    ["uncommitted", status.uncommitted && `${status.uncommitted.file}; ${status.uncommitted.command}`],
    ["ingress", describeIngress(status.ingress)],
    [
      "checkpoint",
      status.checkpoint === null
        ? "none is verified (svc checkpoint create)"
        : `${status.checkpoint.id}, verified, ${duration(status.checkpoint.age)} old`,
    ],
    ["not saved", status.checkpointFailure && `${status.checkpointFailure.detail} (${status.checkpointFailure.at})`],
    ["endpoints", endpoints.map(describeEndpoint).join(", ") || "none"],
    ["database", `${status.database.dialect}, ${status.database.state}, schema ${status.database.schema}`],
    ["build", describeBuild(status.build)],
    ["address", url],
    ["process", `pid ${pid}, ${status.runtime.name} ${status.runtime.version}, svc ${status.version}, ${status.mode}`],
    [
      "running for",
      `${duration(status.uptime)}, ${status.restarts} starts before${status.endedCleanly ? "" : ", the last one ended uncleanly"}`,
    ],
    ["supervisor", describeSupervisor(owner)],
    ["runtimeId", status.runtimeId],
    ["authority", describeAuthority(status)],
  ] as const
  return facts(status.provisional === undefined ? rows : rows.filter(([name]) => !ofDatabase.has(name)))
}

/** Rows that come from the database: unknown while it does not answer. */
const ofDatabase: ReadonlySet<string> = new Set(["ingress", "checkpoint", "running for", "authority"])

const describeLastGood = ({generation, why}: NonNullable<Status["lastGood"]>): string =>
  `generation ${generation} runs, because the present project does not start (${why}); fix it, then svc runtime restart`

const describeProvisional = ({since, attempts, waitsFor, error}: NonNullable<Status["provisional"]>): string => {
  const until = waitsFor === "space" ? "there is space on the disk" : "the database answers"
  return `the Host opens and sends nothing until ${until}; ${attempts} attempts since ${since}\n${error}`
}

/** Returns, for example, `irc~libera (required, admitting, not connected: reconnecting)`. */
const describeEndpoint = ({name, required, state, admission}: EndpointView): string => {
  if (!required) return `${name} (${state})`
  const isAdmitting = isAdmittingOffline(state) && admission === "open"
  return `${name} (required, ${isAdmitting ? "admitting, not connected: " : ""}${state})`
}

const describeAuthority = ({authority, epoch, authorities}: Status): string =>
  `${authority}, epoch ${epoch}, of ${authorities
    .filter(each => each.authority === authority)
    .map(({part}) => part)
    .join(", ")}`
