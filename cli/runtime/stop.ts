import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {daemonLock, findDaemon} from "../../server/process/daemon-state.ts"
import {describeOwner, ownerOf} from "../../server/process/owner.ts"
import {findHolder, type Holder, isLocked, type LockFiles} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {SvcCommand} from "../kit/svc-command.ts"

/** So long it is waited for an end, in milliseconds: a Host ends within ten seconds, and a daemon kills one that does not. */
const patience = {host: 12_000, daemon: 32_000} as const

export class RuntimeStop extends SvcCommand {
  static override paths = [["runtime", "stop"]]
  static override usage = Command.Usage({
    description: "stop the running Host in order",
    details: `
      Sends SIGTERM to the Host on this machine and waits until it has let go of the project. Where \`--daemon\` started it, the daemon ends too.

      A Host that another supervisor owns is stopped with that supervisor's own command, which is named: it might start it again.
    `,
    examples: [["Stop the Host of the project in this folder", "svc runtime stop"]],
  })

  confirm = Option.Boolean("--confirm", false, {
    description: "Send SIGTERM even where another supervisor may start the Host again",
  })

  async run(): Promise<ExitCode> {
    const paths = projectPaths(this.folder)
    const daemon = await findDaemon(paths)
    const holder = await findHolder(paths)
    const host = holder?.kind === "host" ? holder : undefined
    if (daemon !== undefined) {
      await end(daemon, patience.daemon, [daemonLock(paths), paths])
      this.print(`stopped the daemon, pid ${daemon.pid}${host === undefined ? "" : `, and its Host, pid ${host.pid}`}`)
      return exit.ok
    }
    if (host === undefined) throw new Problem("host_unreachable", `no Host runs for ${this.folder}`)
    this.#requireOurs(host)
    await end(host, patience.host, [paths])
    this.print(`stopped pid ${host.pid}`)
    return exit.ok
  }

  /** Exactly one layer starts and stops a Host. One whose daemon was killed is ours too. */
  #requireOurs(host: Holder): void {
    const owner = ownerOf(host)
    if (this.confirm || owner.name === "none" || owner.name === "daemon") return
    throw new Problem("other_supervisor", `${describeOwner(owner)} owns the Host, pid ${host.pid}`, {
      hint: `Stop it there: ${owner.stop ?? `with the command of ${owner.name}`}; or send SIGTERM all the same: --confirm.`,
    })
  }
}

const end = async (holder: Holder, limit: number, locks: readonly LockFiles[]): Promise<void> => {
  if (holder.hostname !== hostname()) {
    throw new Problem("host_unreachable", `it runs on ${holder.hostname}, as pid ${holder.pid}`, {
      hint: "Run svc runtime stop there.",
    })
  }
  process.kill(holder.pid, "SIGTERM")
  const deadline = performance.now() + limit
  for (const lock of locks) {
    while (await isLocked(lock)) {
      if (performance.now() > deadline)
        throw new Problem("locked", `pid ${holder.pid} did not end within ${limit / 1000} s`)
      await sleep(50)
    }
  }
}
