import {Command, Option} from "clipanion"
import type {ReloadResult} from "../../shared/api/system.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../kit/host-client.ts"
import {forceText, whileTried} from "../kit/runtime/trial.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class RuntimeReload extends DataCommand {
  static override paths = [["runtime", "reload"]]
  static override usage = Command.Usage({
    description: "have the running Host take its configuration as it is now",
    details: `
      Commits a new generation, or tells every reason why not; then the running generation goes on.

      In production, changed code or a changed lockfile needs a restart. The Host tries its next start in a process of its own; if that would fail, the command names the place and exits 1, and the Host goes on. Else the Host exits with 75 where a supervisor starts it again.
    `,
    examples: [["After a change of svc.config.yml", "svc runtime reload"]],
  })

  confirm = Option.Boolean("--confirm", false, {
    description: "Exit for a restart even where nothing would start the Host again",
  })

  force = Option.Boolean("--force", false, {description: forceText})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const {confirm, force} = this
    const ask = () => host.post<Static<typeof ReloadResult>>("/api/system/reload", {confirm, force})
    const result = await whileTried({
      host,
      project: this.folder,
      force,
      output: this.context.stderr,
      ask,
      ended: generation => ({committed: false, generation, restarting: true}),
    })
    this.show(result, () => {
      if (result.restarting === true) return "the change needs a restart, which has begun"
      return result.committed ? `generation ${result.generation} committed` : "nothing has changed"
    })
    return exit.ok
  }
}
