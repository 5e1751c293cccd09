import {Command, Option} from "clipanion"
import {type RollbackPlan, type RolledBackResult, rollBack} from "../server/project/offline/rollback.ts"
import {describeBuild} from "../server/recovery/build/compare.ts"
import {onSignals} from "../server/runtime/process/signals.ts"
import {Problem} from "../shared/problems.ts"
import {CheckpointCommand} from "./kit/checkpoint/command.ts"
import {describeOutcome, describeSchema} from "./kit/checkpoint/view.ts"
import {counted, facts} from "./kit/print.ts"

export class Rollback extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "roll code, lockfile, configuration and data back to one checkpoint; the Host must be stopped",
    details: `
      Prints the plan, rolls back, and prints the proof. All parts roll back together or not at all: if the rollback is interrupted, the next command or start completes it or undoes it, and you may repeat it.

      The code returns to the commit of the checkpoint. The git work tree must have no uncommitted changes; branches do not move. If the project is read-only, first deploy the image that the checkpoint names. Messages sent since the checkpoint cannot be taken back: the command lists them, and continues only with \`--accept-side-effects\`.

      The state gets a new authority. As after \`svc checkpoint restore\`, the Host neither sends nor handles the held work.
    `,
    examples: [
      ["Show what would happen", "svc rollback 20261121-101500-3f9a1c --dry-run"],
      ["Return to the beginning of a release", "svc rollback 20261121-101500-3f9a1c"],
      ["Roll back although messages were sent since", "svc rollback 20261121-101500-3f9a1c --accept-side-effects"],
    ],
  })

  checkpoint = Option.String({name: "checkpoint"})
  dryRun = Option.Boolean("--dry-run", false, {description: "Only print the plan, and whether it would be refused"})
  acceptSideEffects = Option.Boolean("--accept-side-effects", false, {description: "Roll back despite sent messages"})

  withoutBuild = Option.Boolean("--without-build", false, {
    description:
      "Leave build and packages as they are, if the old packages cannot be installed; you install and build by hand",
  })

  async run(): Promise<boolean> {
    const ending = new AbortController()
    onSignals({
      stop: signal => ending.abort(new Problem("stopping", `ended by ${signal}; changed nothing`)),
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
    return result === undefined || result.proof.matches
  }
}

const describeCode = ({code}: RollbackPlan): string => {
  if (code === null) return "already the checkpoint's: the project is read-only"
  if (code.from === code.to) return `${code.to}, unchanged`
  const left = code.branch === null ? "" : `; the branch ${code.branch} stays at ${code.from.slice(0, 12)}`
  return `from ${code.from} to ${code.to}: ${counted(code.written.length, "file")} written, ${code.removed.length} removed${left}`
}

const builds = {
  same: "build and packages are already the checkpoint's",
  kept: "build and packages, as the release kept them",
  surplus: "plugins ran from source: their builds in dist/plugins are moved away",
  missing:
    "no release kept them: before anything changes, svc installs the packages of the lockfile and runs the build script",
  untouched: "unchanged: install the locked packages and build by hand",
} as const

const describePlan = (plan: RollbackPlan): string => {
  const {sent, unknown} = plan.sideEffects
  return facts([
    ["roll back to", `${plan.checkpoint}, of ${plan.createdAt}`],
    ["code", describeCode(plan)],
    ["project", plan.projectFiles === "restored" ? "svc.config.yml, package.json and lockfile" : "unchanged"],
    ["kept", plan.keepsConfiguration ? "a copy of the present svc.config.yml, beside it: it was changed" : null],
    ["build", builds[plan.build ?? "untouched"]],
    ["database", plan.database],
    ...describeSchema(plan),
    ["authority", `a new one, before ${plan.authority}`],
    ["sent since", unknown ?? (sent.length === 0 ? "nothing" : counted(sent.length, "message"))],
    ["", sent.slice(0, 20).map(({message, endpoint, state, at}) => `${at} ${endpoint} ${message} ${state}`)],
  ])
}

const describeProof = ({restored, proof}: RolledBackResult): string => {
  const {authority, commit, changes, lockfile, configuration, build, buildChanges, database} = proof
  const all = buildChanges.length === 0 ? "everything" : "everything but the build"
  return facts([
    ["rolled back", proof.matches ? `${all} matches the checkpoint` : "SOMETHING DIFFERS from the checkpoint"],
    ["authority", `${authority.after}, before ${authority.before}; the database has ${authority.database}`],
    ["commit", commit ?? "no git work tree"],
    ["differs", changes],
    ["lockfile", lockfile === null ? "none" : `${lockfile.name} ${lockfile.sha256}`],
    ["configuration", configuration],
    ["kept", restored.keptConfiguration && `the replaced configuration, as ${restored.keptConfiguration}`],
    ["build", describeBuild(build)],
    ["differs", buildChanges],
    [
      "heads",
      `events ${database.events}, inbox ${database.inbox}, outbox ${database.outbox}, schema ${database.schema}`,
    ],
    ...describeOutcome(restored),
    ["next", "svc doctor, svc runtime start; svc ingress status; release or discard the held work"],
  ])
}
