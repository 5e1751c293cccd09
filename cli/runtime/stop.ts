import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {Command} from "clipanion"
import {isLocked, readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {SvcCommand} from "../svc-command.ts"

/** A Host ends within ten seconds; so long is waited for it, in milliseconds. */
const patience = 12_000

export class RuntimeStop extends SvcCommand {
  static override paths = [["runtime", "stop"]]
  static override usage = Command.Usage({
    description: "stop the running Host in order",
    details: "Sends SIGTERM to the Host on this machine and waits until it has let go of the project.",
    examples: [["Stop the Host of the project in this folder", "svc runtime stop"]],
  })

  async run(): Promise<ExitCode> {
    const paths = projectPaths(this.folder)
    const holder = (await isLocked(paths)) ? await readHolder(paths) : undefined
    if (holder?.kind !== "host") throw new Problem("host_unreachable", `no Host runs for ${this.folder}`)
    if (holder.hostname !== hostname()) {
      throw new Problem("host_unreachable", `the Host runs on ${holder.hostname}, as pid ${holder.pid}`, {
        hint: "Run svc runtime stop there.",
      })
    }
    process.kill(holder.pid, "SIGTERM")
    const deadline = performance.now() + patience
    while (await isLocked(paths)) {
      if (performance.now() > deadline)
        throw new Problem("locked", `pid ${holder.pid} did not end within ${patience / 1000} s`)
      await sleep(50)
    }
    this.print(`stopped pid ${holder.pid}`)
    return exit.ok
  }
}
