import {Command, Option} from "clipanion"
import {describeOwner, ownerOf} from "../../server/process/owner.ts"
import {readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class RuntimeRestart extends SvcCommand {
  static override paths = [["runtime", "restart"]]
  static override usage = Command.Usage({
    description: "have the running Host exit with 51, so that its supervisor starts it again",
    details:
      "Names the supervisor. Where none is known it is refused, unless confirmed: nothing would start the Host again. It is also refused where the supervisor would give up, as it makes at most 5 starts in 120 s; then it says when a restart is possible, and --confirm changes nothing.",
    examples: [["Under a supervisor", "svc runtime restart"]],
  })

  confirm = Option.Boolean("--confirm", false, {description: "Exit even where nothing would start the Host again"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const holder = await readHolder(projectPaths(this.folder))
    await host.post("/api/system/restart", {confirm: this.confirm})
    const owner = holder === undefined ? undefined : ownerOf(holder)
    const next = owner === undefined || owner.name === "none" ? "" : `; ${describeOwner(owner)} starts it again`
    this.print(`pid ${host.file.pid} is ending with exit code 51${next}`)
    return exit.ok
  }
}
