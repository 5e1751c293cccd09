import {Command} from "clipanion"
import type {ReleaseView} from "../../shared/api/release.ts"
import {Problem, type ProblemCode, problems} from "../../shared/problems.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {connectHost, type HostClient} from "../kit/host-client.ts"
import type {ProgressLine} from "../kit/progress.ts"
import {describeRelease} from "../kit/release/view.ts"
import {restorePoint} from "../kit/stoppable-command.ts"

export class ReleaseBegin extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "begin a release: pause ingress, create and verify a checkpoint, and record the state to roll back to",
    details: `
      The Host keeps running: it answers probes, handles the events that it has accepted, and sends the messages in the outbox. Ingress stays paused, across restarts too, until you complete or abort the release.

      Commit, lockfile, configuration and checkpoint are recorded in \`.svc/releases.jsonl\`, which no restore replaces. In a git work tree, all changes must be committed. If the command was interrupted, repeat it.
    `,
    examples: [
      ["Begin", "svc release begin"],
      ["With a remote database, after its backup", "svc release begin --external-restore-point 2026-11-21T10:00:00Z"],
    ],
  })

  restorePoint = restorePoint

  async run(): Promise<void> {
    const host = await connectHost(this.folder)
    const begun = await host.post("/api/releases", {body: {externalRestorePoint: this.restorePoint}})
    this.show(await this.withProgress(show => settled(host, begun, show)), describeRelease)
  }
}

/** Waits until the checkpoint of the release is complete. Throws the problem that it failed with. */
const settled = async (host: HostClient, begun: ReleaseView, show: ProgressLine["show"]): Promise<ReleaseView> => {
  for (let release = begun; ; release = await newest(host)) {
    if (release.id !== begun.id || release.state !== "beginning") return release
    if (release.problem !== null) throw problemOf(release.problem)
    const {task} = await host.get("/api/checkpoints/task")
    if (task !== null) show(task.step, task.done, task.total)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const newest = async (host: HostClient): Promise<ReleaseView> => {
  const [release] = (await host.get("/api/releases", {limit: 1})).items
  if (release === undefined) throw new Problem("release_refused", "the Host does not know the release that was begun")
  return release
}

const problemOf = ({code, detail}: {readonly code: string; readonly detail: string}): Problem =>
  new Problem(Object.hasOwn(problems, code) ? (code as ProblemCode) : "checkpoint_failed", detail, {
    hint: "Ingress stays paused. Fix the problem and repeat svc release begin, or run svc release abort.",
  })
