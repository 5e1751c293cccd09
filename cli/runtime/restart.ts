import {Command, Option} from "clipanion"
import {describeOwner, ownerOf} from "../../server/process/owner.ts"
import {readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {forceText, whileTried} from "../kit/runtime/trial.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class RuntimeRestart extends SvcCommand {
  static override paths = [["runtime", "restart"]]
  static override usage = Command.Usage({
    description: "have the running Host exit with 51, so that its supervisor starts it again",
    details: `
      First the Host tries its next start in a process of its own, with code, configuration, packages and \`.env\` as they are now. If that would fail, the command names the place and exits 1, and the Host goes on.

      Names the supervisor. Where none is known it is refused, unless confirmed: nothing would start the Host again. It is also refused where the supervisor would give up, as it makes at most 5 starts in 120 s; then it says when a restart is possible, and --confirm changes nothing.
    `,
    examples: [
      ["Under a supervisor", "svc runtime restart"],
      ["Where memory or disk is too short for a trial", "svc runtime restart --force"],
    ],
  })

  confirm = Option.Boolean("--confirm", false, {description: "Exit even where nothing would start the Host again"})

  force = Option.Boolean("--force", false, {description: forceText})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const holder = await readHolder(projectPaths(this.folder))
    // While the process is there: its unit is read from its control group.
    const owner = holder === undefined ? undefined : ownerOf(holder)
    const {confirm, force} = this
    const ask = () => host.post<unknown>("/api/system/restart", {confirm, force})
    await whileTried({host, project: this.folder, force, output: this.context.stderr, ask, ended: () => undefined})
    const next = owner === undefined || owner.name === "none" ? "" : `; ${describeOwner(owner)} starts it again`
    this.print(`pid ${host.file.pid} is ending with exit code 51${next}`)
    return exit.ok
  }
}
