import {Command} from "clipanion"
import type {EndpointView, Status} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {describeIngress} from "../ingress/view.ts"
import {duration, facts} from "../print.ts"
import {DataCommand} from "../svc-command.ts"

export class RuntimeStatus extends DataCommand {
  static override paths = [["runtime", "status"]]
  static override usage = Command.Usage({
    description: "show which Host runs, and what it runs",
    details: "Exits 0 when a Host runs for the project, ready or not, and 1 when none does.",
    examples: [["Of the project in this folder", "svc runtime status"]],
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const status = await host.get<Static<typeof Status>>("/api/system/status")
    const endpoints = await host.get<{items: Static<typeof EndpointView>[]}>("/api/endpoints?limit=500")
    this.show({...status, endpoints: endpoints.items}, () =>
      describe(host.file.url, host.file.pid, status, endpoints.items),
    )
    return exit.ok
  }
}

const describe = (
  url: string,
  pid: number,
  status: Static<typeof Status>,
  endpoints: readonly Static<typeof EndpointView>[],
): string =>
  facts([
    ["project", status.project],
    ["ready", status.ready ? "yes" : "no (svc doctor --live tells why)"],
    ["generation", `${status.generation.number} (${status.generation.reason}), ${status.generation.committedAt}`],
    ...(status.pin === null
      ? []
      : [["pinned", `generation ${status.pin.number}; svc generation unpin ends it`] as const]),
    ...(status.lastFailure === null ? [] : [["not committed", status.lastFailure.issues.join("\n")] as const]),
    ["ingress", describeIngress(status.ingress)],
    [
      "checkpoint",
      status.checkpoint === null
        ? "none is verified (svc checkpoint create)"
        : `${status.checkpoint.id}, verified, ${duration(status.checkpoint.age)} old`,
    ],
    ...(status.checkpointFailure === null
      ? []
      : [["not saved", `${status.checkpointFailure.detail} (${status.checkpointFailure.at})`] as const]),
    ["endpoints", endpoints.map(({name, state}) => `${name} (${state})`).join(", ") || "none"],
    ["database", `${status.database.dialect}, ${status.database.state}, schema ${status.database.schema}`],
    ["address", url],
    ["process", `pid ${pid}, ${status.runtime.name} ${status.runtime.version}, svc ${status.version}, ${status.mode}`],
    [
      "running for",
      `${duration(status.uptime)}, ${status.restarts} starts before${status.endedCleanly ? "" : ", the last one ended uncleanly"}`,
    ],
    ["supervisor", status.supervisor],
    ["runtimeId", status.runtimeId],
    ["authority", status.authority],
  ])
