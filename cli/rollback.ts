import {Command, Option} from "clipanion"
import {type RollbackPlan, type RolledBackResult, rollBack} from "../server/offline/rollback.ts"
import {describeBuild} from "../server/recovery/build/compare.ts"
import {onSignals} from "../server/runtime/process/signals.ts"
import {type ExitCode, exit} from "../shared/exit.ts"
import {Problem} from "../shared/problems.ts"
import {CheckpointCommand} from "./kit/checkpoint/command.ts"
import {describeSchema} from "./kit/checkpoint/schema.ts"
import {counted, facts} from "./kit/print.ts"

export class Rollback extends CheckpointCommand {
  static override paths = [["rollback"]]
  static override usage = Command.Usage({
    description: "take code, lockfile, configuration and data back to one checkpoint; the Host must be stopped",
    details: `
      Prints the plan, goes back, and prints the proof. Everything goes back together or nothing does: wherever this is cut off, the next command or start finishes it or takes it back, and it may be repeated.

      The code goes to the commit of the checkpoint; the git work tree must have nothing that is not committed, and branches stay where they are. Where the project is read-only, deploy the image that it names first. Messages that were sent since the checkpoint cannot be taken back: they are listed, and \`--accept-side-effects\` accepts that.

      The state gets a new authority, and sends and handles nothing by itself, as after \`svc checkpoint restore\`.
    `,
    examples: [
      ["What it would do", "svc rollback 20261121-101500-3f9a1c --dry-run"],
      ["Back to where the release began", "svc rollback 20261121-101500-3f9a1c"],
      ["Although messages have left since", "svc rollback 20261121-101500-3f9a1c --accept-side-effects"],
    ],
  })

  checkpoint = Option.String({name: "checkpoint"})
  dryRun = Option.Boolean("--dry-run", false, {description: "Only print the plan, and whether it would be refused"})
  acceptSideEffects = Option.Boolean("--accept-side-effects", false, {
    description: "Go back although messages were sent since the checkpoint",
  })

  withoutBuild = Option.Boolean("--without-build", false, {
    description:
      "Leave build and packages as they are, to make them by hand: where the old packages cannot be installed",
  })

  async run(): Promise<ExitCode> {
    const ending = new AbortController()
    onSignals({
      stop: signal => ending.abort(new Problem("stopping", `ended by ${signal}; nothing was changed`)),
      reload: () => {},
    })
    const checkpoint = await this.store.get(this.checkpoint)
    let planned: RollbackPlan | undefined
    const result = await this.withProgress(progress =>
      rollBack(this.stopped, checkpoint, {
        dryRun: this.dryRun,
        acceptSideEffects: this.acceptSideEffects,
        withoutBuild: this.withoutBuild,
        signal: ending.signal,
        progress,
        onPlan: plan => {
          planned = plan
          if (!this.json) this.print(describePlan(plan))
        },
      }),
    )
    if (this.json) this.print(JSON.stringify(result ?? {plan: planned}, undefined, 2))
    else if (result !== undefined) this.print(`\n${describeProof(result)}`)
    return result === undefined || result.proof.matches ? exit.ok : exit.failed
  }
}

const describeCode = ({code}: RollbackPlan): string => {
  if (code === null) return "the checkpoint's already: the project is read-only"
  if (code.from === code.to) return `${code.to}, as it is`
  const left = code.branch === null ? "" : `; the branch ${code.branch} stays at ${code.from.slice(0, 12)}`
  return `from ${code.from} to ${code.to}: ${counted(code.written.length, "file")} written, ${code.removed.length} removed${left}`
}

const builds = {
  same: "build and packages are the checkpoint's already",
  kept: "build and packages, as the release kept them",
  missing:
    "no release kept them: the packages of its lockfile are installed, and its build script runs, before anything changes",
  untouched: "as it is: install the locked packages and build by hand",
} as const

const describePlan = (plan: RollbackPlan): string => {
  const {sent, unknown} = plan.sideEffects
  return facts([
    ["roll back to", `${plan.checkpoint}, of ${plan.createdAt}`],
    ["code", describeCode(plan)],
    ["project", plan.projectFiles === "restored" ? "svc.config.yml, package.json and lockfile" : "as it is"],
    ...(plan.keepsConfiguration
      ? [["kept", "svc.config.yml as it is now: it differs from its commit, and a copy stays beside it"] as const]
      : []),
    ["build", builds[plan.build ?? "untouched"]],
    ["database", plan.database],
    ...describeSchema(plan),
    ["authority", `a new one, before ${plan.authority}`],
    ["sent since", unknown ?? (sent.length === 0 ? "nothing" : counted(sent.length, "message"))],
    ...sent
      .slice(0, 20)
      .map(({message, endpoint, state, at}) => ["", `${at} ${endpoint} ${message} ${state}`] as const),
  ])
}

const describeProof = ({restored, proof}: RolledBackResult): string => {
  const {authority, commit, changes, lockfile, configuration, build, database} = proof
  return facts([
    ["rolled back", proof.matches ? "everything is the checkpoint's" : "SOMETHING DIFFERS from the checkpoint"],
    ["authority", `${authority.after}, before ${authority.before}; the database has ${authority.database}`],
    ["commit", commit ?? "no git work tree"],
    ...changes.map(text => ["differs", text] as const),
    ["lockfile", lockfile === null ? "none" : `${lockfile.name} ${lockfile.sha256}`],
    ["configuration", configuration],
    ...(restored.keptConfiguration === null ? [] : [["kept", `${restored.keptConfiguration}, as it was`] as const]),
    ["build", describeBuild(build)],
    [
      "heads",
      `events ${database.events}, inbox ${database.inbox}, outbox ${database.outbox}, schema ${database.schema}`,
    ],
    [
      "held",
      `${counted(restored.held.outbox, "message")}, ${counted(restored.held.inbox, "handler")}, ${counted(restored.held.agents, "run")} of agents`,
    ],
    ["settled", `${counted(restored.held.settled, "row")} that the replaced state had sent, handled or ended since`],
    ...restored.notes.map(text => ["note", text] as const),
    ["next", "svc doctor, svc runtime start; svc ingress status; release or discard what is held"],
  ])
}
