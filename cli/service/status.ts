import {Command} from "clipanion"
import {isReadyWithin} from "../../server/process/service/ready.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {facts} from "../kit/print.ts"
import {ServiceCommand} from "../kit/service-command.ts"

export class ServiceStatus extends ServiceCommand {
  static override usage = Command.Usage({
    description: "show whether the project's service runs, and whether its Host is ready",
    details: "Exits 0 only if the service runs. If the Host is not ready, svc doctor shows why.",
    examples: [
      ["The service of your own user, on Linux", "svc service status --user"],
      ["As JSON", "svc service status --user --json"],
    ],
  })

  async run(): Promise<ExitCode> {
    const state = await (await this.service(false)).state()
    const ready = state.running && (await isReadyWithin(this.projectPaths, 0))
    this.show({...state, ready}, () =>
      facts([
        ["service", `${state.name} (${state.manager})`],
        ["installed", state.installed ? state.file : "no (svc service install)"],
        ["enabled", state.enabled ? "yes" : "no"],
        ["state", state.state],
        ["ready", ready ? "yes" : "no"],
        ...(state.pid === null ? [] : [["process", `pid ${state.pid}`] as const]),
        ...(state.restarts === null ? [] : [["restarts", `${state.restarts}`] as const]),
      ]),
    )
    return state.running ? exit.ok : exit.failed
  }
}
