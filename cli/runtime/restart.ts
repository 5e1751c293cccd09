import {Command, Option} from "clipanion"
import {describeOwner, ownerOf} from "../../server/process/owner.ts"
import {readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {notReadyAfter} from "../../shared/api/configuration/unready.ts"
import {connectHost} from "../kit/host-client.ts"
import {forceText, whileTried} from "../kit/runtime/trial.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class RuntimeRestart extends SvcCommand {
  static override usage = Command.Usage({
    description: "restart the running Host: it exits with 51, and its supervisor starts it again",
    details: `
      The Host first tries its next start in a separate process, with the present code, configuration, packages and \`.env\`. If that fails, the command names the cause and exits 1, and the Host keeps running.

      The command names the supervisor. If no supervisor is known, it refuses the restart unless you confirm it: nothing would start the Host again. It also refuses if the supervisor would give up, because it makes at most 5 starts in 120 s. The refusal says when a restart is possible; --confirm does not override it.
    `,
    examples: [
      ["Under a supervisor", "svc runtime restart"],
      ["Without a trial, if memory or disk space is short", "svc runtime restart --force"],
    ],
  })

  confirm = Option.Boolean("--confirm", false, {description: "Exit even if no supervisor will start the Host again"})

  force = Option.Boolean("--force", false, {description: forceText})

  async run(): Promise<void> {
    const host = await connectHost(this.folder)
    const holder = await readHolder(projectPaths(this.folder))
    // Read before the process ends: its unit is read from its control group.
    const owner = holder === undefined ? undefined : ownerOf(holder)
    const {confirm, force} = this
    const ask = () => host.post("/api/system/restart", {body: {confirm, force}})
    const ended = () => ({restarting: true, unready: []})
    const {unready = []} = await whileTried(this, {host, ask, ended})
    const next = owner === undefined || owner.name === "none" ? "" : `; ${describeOwner(owner)} starts it again`
    this.print(`pid ${host.file.pid} is exiting with code 51${next}`)
    if (unready.length > 0) this.tell(`svc: ${notReadyAfter(unready)}`)
  }
}
