import {Option} from "clipanion"
import {CheckpointStore} from "../../server/recovery/store.ts"
import {isLocked, readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import type {CheckpointTask} from "../../shared/checkpoint.ts"
import {Problem, type ProblemCode} from "../../shared/problems.ts"
import {connectHost, type HostClient} from "../host-client.ts"
import {ProgressLine} from "../progress.ts"
import {DataCommand} from "../svc-command.ts"

/** What the commands about checkpoints share. */
export abstract class CheckpointCommand extends DataCommand {
  environment = Option.String("--environment", "production", {description: "Reads .env.<name> over .env"})

  get places() {
    return projectPaths(this.folder)
  }

  get store(): CheckpointStore {
    return new CheckpointStore(this.places.checkpoints)
  }

  get stopped() {
    return {project: this.folder, environment: this.environment, command: ["svc", ...process.argv.slice(2)].join(" ")}
  }

  /** The Host that runs; undefined where none does, and the command does the work itself. */
  async host(): Promise<HostClient | undefined> {
    if (!(await isLocked(this.places).catch(() => false))) return undefined
    const holder = await readHolder(this.places)
    return holder?.kind === "command" ? undefined : connectHost(this.folder)
  }

  /** Does long work; how far it is shows on a terminal. */
  async withProgress<T>(work: (show: ProgressLine["show"]) => Promise<T>): Promise<T> {
    const line = new ProgressLine(this.context.stderr as NodeJS.WritableStream)
    try {
      return await work(line.show)
    } finally {
      line.clear()
    }
  }

  /** Waits until the Host has done what it was asked to begin. Throws what it failed with. */
  async awaitTask(host: HostClient, begun: CheckpointTask): Promise<void> {
    await this.withProgress(async show => {
      for (let task: CheckpointTask | null = begun; task !== null && task.id === begun.id; ) {
        if (task.state === "failed" && task.problem !== null) {
          const {code, detail, hint} = task.problem
          // The Host takes it from the same table.
          throw new Problem(code as ProblemCode, detail, {hint})
        }
        if (task.state === "done") return
        show(task.step, task.done, task.total)
        await new Promise(resolve => setTimeout(resolve, 100))
        task = (await host.get<{task: CheckpointTask | null}>("/api/checkpoints/task")).task
      }
    })
  }
}
