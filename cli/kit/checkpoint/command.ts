import {CheckpointStore} from "../../../server/recovery/checkpoint/store.ts"
import type {CheckpointTask} from "../../../shared/api/checkpoint.ts"
import {Problem, type ProblemCode} from "../../../shared/problems.ts"
import type {HostClient} from "../host-client.ts"
import {ProgressLine} from "../progress.ts"
import {StoppableCommand} from "../stoppable-command.ts"

export abstract class CheckpointCommand extends StoppableCommand {
  get store(): CheckpointStore {
    return new CheckpointStore(this.places.checkpoints)
  }

  /** Does long work and shows its progress on a terminal. */
  async withProgress<T>(work: (show: ProgressLine["show"]) => Promise<T>): Promise<T> {
    const line = new ProgressLine(this.context.stderr as NodeJS.WritableStream)
    try {
      return await work(line.show)
    } finally {
      line.clear()
    }
  }

  /** Waits until the Host has completed a task. Throws the problem that it failed with. */
  async awaitTask(host: HostClient, begun: CheckpointTask): Promise<void> {
    await this.follow(begun, async () => (await host.get("/api/checkpoints/task")).task)
  }

  /** Shows a task's progress. Resolves to its final state; null if the Host forgot it. Throws its problem. */
  async follow<T extends HostTask>(begun: T, ask: () => Promise<T | null>): Promise<T | null> {
    return this.withProgress(async show => {
      for (let task: T | null = begun; task !== null && task.id === begun.id; task = await ask()) {
        if (task.state === "failed" && task.problem !== null) {
          const {code, detail, hint} = task.problem
          // The Host's codes come from the same table.
          throw new Problem(code as ProblemCode, detail, {hint})
        }
        if (task.state === "done") return task
        show(task.step, task.done, task.total)
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      return null
    })
  }
}

/** The progress of long work, as the Host reports it. */
type HostTask = Pick<CheckpointTask, "id" | "state" | "step" | "done" | "total" | "problem">
