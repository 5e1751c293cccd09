import {createInterface} from "node:readline/promises"
import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {
  type Forgotten,
  type UserCounts,
  type UserPartName,
  type UserRemains,
  userParts,
} from "../../shared/api/users/users.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {counted, facts} from "../kit/print.ts"
import {promises} from "../kit/redact-command.ts"
import {UserCommand} from "../kit/user-command.ts"

/** How often a second it looks for rows that are being worked on: a handler ends within a minute. */
const mostTries = 90

type Done = Pick<Forgotten, "counts" | "busy" | "erased" | "remains">

export class UserForget extends UserCommand {
  static override paths = [["user", "forget"]]
  static override usage = Command.Usage({
    description: "forget one user of a platform: redact what was said, cancel what waits for them",
    details: `
      First it says what it would do: how many rows of each kind. On a terminal it asks then; anywhere else it needs \`--yes\`.

      What the user said and what the bot answered is overwritten, in the file too; ids and times stay, so that an event that comes again is known. Values of plugins are deleted, timers, questions and unsent messages cancelled. Cut off at any moment, it can be repeated. It ends by saying what is kept all the same: docs/privacy.md.
    `,
    examples: [
      ["What it would do", "svc user forget irc~libera alice --dry-run"],
      ["Without a question", "svc user forget irc~libera alice --yes"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only say what it would do"})
  yes = Option.Boolean("--yes", false, {description: "Do it without a question"})

  async run(): Promise<ExitCode> {
    if (!this.yes || this.dryRun) {
      const plan = await this.#forget(true)
      if (this.dryRun) return this.#end(plan)
      if (!this.json) this.print(facts(describe(plan.counts, false)))
      if (!(await this.#isSure())) {
        this.tell("nothing was changed")
        return exit.failed
      }
    }
    let done = await this.#forget(false)
    for (let tries = 1; done.busy > 0 && tries < mostTries; tries++) {
      await sleep(1000)
      done = sumOf(done, await this.#forget(false))
    }
    if (done.busy === 0) return this.#end(done)
    this.show(done, () => facts(describe(done.counts, true)))
    throw new Problem("conflict", `${counted(done.busy, "row")} of the user are being handled or sent at this moment`, {
      hint: "Repeat the command once that has ended: svc inbox list --state running, svc outbox list --state sending.",
    })
  }

  #end({counts, busy, erased, remains}: Done): ExitCode {
    this.show({counts, busy, erased, remains}, () =>
      facts([
        ...describe(counts, !this.dryRun),
        ...(erased === null ? [] : [["erased", promises[erased]] as const]),
        ...(remains === null ? [] : describeRemains(remains)),
      ]),
    )
    return exit.ok
  }

  /** All steps of it. */
  async #forget(dryRun: boolean): Promise<Done> {
    return this.withUser(async kept => {
      let step = await kept.forget(dryRun)
      let done: Done = step
      while (step.next !== null) {
        step = await kept.forget(dryRun, step.next)
        done = {...sumOf(done, step), busy: done.busy + step.busy}
      }
      return done
    })
  }

  async #isSure(): Promise<boolean> {
    if (this.json || process.stdin.isTTY !== true)
      throw new Problem("request_invalid", "this cannot be undone, and there is no terminal to ask at", {
        hint: "--yes does it without a question, --dry-run only says what it would do.",
      })
    const lines = createInterface({input: process.stdin, output: process.stderr})
    const answer = await lines.question("Forget this user? It cannot be undone. [y/N] ")
    lines.close()
    return /^y(es)?$/i.test(answer.trim())
  }
}

/** What both did together; the rest is as the later one says it. */
const sumOf = (one: Done, later: Done): Done => ({
  ...later,
  counts: Object.fromEntries(userParts.map(part => [part, one.counts[part] + later.counts[part]])) as UserCounts,
})

/** Each kind: what is counted, what is to be done with it, and what was done. */
const kinds: Readonly<Record<UserPartName, readonly [string, string, string]>> = {
  timers: ["timer", "to cancel", "cancelled"],
  inbox: ["inbox event", "to redact", "redacted"],
  errors: ["error", "to empty in the event log", "emptied in the event log"],
  outbox: ["outbox message", "to redact, or to cancel where not sent", "redacted, or cancelled where not sent"],
  agents: ["agent run", "to redact", "redacted"],
  state: ["value", "of plugins to delete", "of plugins deleted"],
  prompts: ["question", "to end", "ended"],
}

const describe = (counts: UserCounts, isDone: boolean): readonly (readonly [string, string])[] =>
  userParts.map(part => {
    const [what, next, done] = kinds[part]
    return [part, `${counted(counts[part], what)} ${isDone ? done : next}`]
  })

const describeRemains = ({checkpoints, workItems, pluginTables, eventLog}: UserRemains) =>
  [
    [
      "stays",
      checkpoints.length === 0 ? "there are no checkpoints" : `checkpoints from before: ${checkpoints.join(", ")}`,
    ],
    [
      "",
      workItems === null
        ? "work items and the Journal, in which nobody has looked: no Host runs"
        : `${counted(workItems, "work item")} and their Journal name the user`,
    ],
    ["", pluginTables.length === 0 ? "plugins have no tables" : `tables of plugins: ${pluginTables.join(", ")}`],
    ["", `the event log, where logged errors may repeat the user, for ${eventLog} at most; and the log`],
  ] as const
