import {Command, Option} from "clipanion"
import type {ReloadResult} from "../../shared/api/system.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class RuntimeReload extends DataCommand {
  static override paths = [["runtime", "reload"]]
  static override usage = Command.Usage({
    description: "have the running Host take its configuration as it is now",
    details: `
      Commits a new generation, or tells every reason why not; then the running generation goes on.

      In production, changed code or a changed lockfile needs a restart: the Host exits with 75 where a supervisor starts it again.
    `,
    examples: [["After a change of svc.config.yml", "svc runtime reload"]],
  })

  confirm = Option.Boolean("--confirm", false, {
    description: "Exit for a restart even where nothing would start the Host again",
  })

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const result = await host.post<Static<typeof ReloadResult>>("/api/system/reload", {confirm: this.confirm})
    this.show(result, () => {
      if (result.restarting === true) return "the change needs a restart, which has begun"
      return result.committed ? `generation ${result.generation} committed` : "nothing has changed"
    })
    return exit.ok
  }
}
