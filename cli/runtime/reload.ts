import {Command, Option} from "clipanion"
import type {ReloadResult} from "../../shared/api/system.ts"
import {connectHost} from "../kit/host-client.ts"
import {forceText, whileTried} from "../kit/runtime/trial.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class RuntimeReload extends DataCommand {
  static override usage = Command.Usage({
    description: "make the running Host load the present configuration",
    details: `
      The Host commits a new generation, or names every reason why it cannot and keeps the running generation.

      In production, changed code or a changed lockfile needs a restart. The Host first tries its next start in a separate process. If that fails, the command names the cause and exits 1, and the Host keeps running. Otherwise the Host exits with 75, so that its supervisor restarts it.
    `,
    examples: [["After a change to svc.config.yml", "svc runtime reload"]],
  })

  confirm = Option.Boolean("--confirm", false, {
    description: "Exit for a restart even if no supervisor will start the Host again",
  })

  force = Option.Boolean("--force", false, {description: forceText})

  async run(): Promise<void> {
    const host = await connectHost(this.folder)
    const {confirm, force} = this
    const ask = () => host.post<ReloadResult>("/api/system/reload", {confirm, force})
    const result = await whileTried({
      host,
      project: this.folder,
      force,
      output: this.context.stderr,
      ask,
      ended: generation => ({committed: false, generation, restarting: true}),
    })
    this.show(result, () => {
      if (result.restarting === true) return "the change needs a restart; the Host is restarting"
      return result.committed ? `generation ${result.generation} committed` : "nothing has changed"
    })
  }
}
