import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../host-client.ts"
import {SvcCommand} from "../svc-command.ts"

export class RuntimeRestart extends SvcCommand {
  static override paths = [["runtime", "restart"]]
  static override usage = Command.Usage({
    description: "have the running Host exit with 51, so that its supervisor starts it again",
    examples: [["Under a supervisor", "svc runtime restart"]],
  })

  confirm = Option.Boolean("--confirm", false, {description: "Exit even where nothing would start the Host again"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    await host.post("/api/system/restart", {confirm: this.confirm})
    this.print(`pid ${host.file.pid} is ending with exit code 51`)
    return exit.ok
  }
}
