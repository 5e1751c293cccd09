import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {daemonLock, findDaemon} from "../../server/process/daemon/daemon-state.ts"
import {describeOwner, ownerOf} from "../../server/process/owner.ts"
import {findHolder, type Holder, isLocked, type LockFiles} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {Problem} from "../../shared/problems.ts"
import {SvcCommand} from "../kit/svc-command.ts"

/** How long to wait for the exit, in milliseconds. A Host exits within ten seconds, or its daemon kills it. */
const patience = {host: 12_000, daemon: 32_000} as const

export class RuntimeStop extends SvcCommand {
  static override usage = Command.Usage({
    description: "stop the running Host gracefully",
    details: `
      Sends SIGTERM to the Host on this machine and waits until it has released the project. If \`--daemon\` started the Host, the daemon ends too.

      If another supervisor runs the Host, the command refuses and names the supervisor's own command: the supervisor might start the Host again.
    `,
    examples: [["Stop the Host of the project in this folder", "svc runtime stop"]],
  })

  confirm = Option.Boolean("--confirm", false, {description: "Send SIGTERM even if another supervisor may restart it"})

  async run(): Promise<void> {
    const paths = projectPaths(this.folder)
    const daemon = await findDaemon(paths)
    const holder = await findHolder(paths)
    const host = holder?.kind === "host" ? holder : undefined
    if (daemon !== undefined) {
      await end(daemon, patience.daemon, [daemonLock(paths), paths])
      this.print(`stopped the daemon, pid ${daemon.pid}${host === undefined ? "" : `, and its Host, pid ${host.pid}`}`)
      return
    }
    if (host === undefined) throw new Problem("host_unreachable", `no Host is running for ${this.folder}`)
    this.#requireOurs(host)
    await end(host, patience.host, [paths])
    this.print(`stopped pid ${host.pid}`)
  }

  /** Throws if another supervisor owns the Host. A Host whose daemon was killed is ours too. */
  #requireOurs(host: Holder): void {
    const owner = ownerOf(host)
    if (this.confirm || owner.name === "none" || owner.name === "daemon") return
    throw new Problem("other_supervisor", `${describeOwner(owner)} owns the Host, pid ${host.pid}`, {
      hint: `Stop it there: ${owner.stop ?? `with the command of ${owner.name}`}; --confirm sends SIGTERM anyway.`,
    })
  }
}

const end = async (holder: Holder, limit: number, locks: readonly LockFiles[]): Promise<void> => {
  if (holder.hostname !== hostname()) {
    throw new Problem("host_unreachable", `the Host runs on ${holder.hostname}, as pid ${holder.pid}`, {
      hint: "Run svc runtime stop there.",
    })
  }
  process.kill(holder.pid, "SIGTERM")
  const deadline = performance.now() + limit
  for (const lock of locks) {
    while (await isLocked(lock)) {
      if (performance.now() > deadline)
        throw new Problem("locked", `pid ${holder.pid} did not exit within ${limit / 1000} s`)
      await sleep(50)
    }
  }
}
