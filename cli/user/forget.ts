import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {
  type Forgotten,
  type UserCounts,
  type UserPartName,
  type UserRemains,
  userParts,
} from "../../shared/api/users/users.ts"
import {Problem} from "../../shared/problems.ts"
import {askIfSure} from "../kit/ask-line.ts"
import {promises} from "../kit/messages/redact.ts"
import {counted, type Facts, facts} from "../kit/print.ts"
import {UserCommand} from "../kit/user-command.ts"

/** How many times to retry, once a second, while rows of the user are in use: a handler ends within a minute. */
const mostTries = 90

type Done = Pick<Forgotten, "counts" | "busy" | "erased" | "remains">

export class UserForget extends UserCommand {
  static override usage = Command.Usage({
    description: "erase the data of one user of a platform, and cancel everything pending for them",
    details: `
      First it prints how many rows of each kind it would change. On a terminal it then asks for confirmation; elsewhere it needs \`--yes\`.

      It overwrites the user's messages and the bot's answers, also in the database file. Ids and times stay, so that the Host recognizes an event that is delivered again. It deletes plugin state, and cancels timers, questions and unsent messages. If it is interrupted, repeat it. At the end it lists the data that remains: docs/privacy.md.
    `,
    examples: [
      ["Show what it would do", "svc user forget irc~libera alice --dry-run"],
      ["Without confirmation", "svc user forget irc~libera alice --yes"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only print what it would do"})
  yes = Option.Boolean("--yes", false, {description: "Do it without asking for confirmation"})

  async run(): Promise<boolean> {
    if (!this.yes || this.dryRun) {
      const plan = await this.#forget(true)
      if (this.dryRun) return this.#end(plan)
      if (!this.json) this.print(facts(describe(plan.counts, false)))
      if (!(await this.#isSure())) {
        this.tell("changed nothing")
        return false
      }
    }
    let done = await this.#forget(false)
    for (let tries = 1; done.busy > 0 && tries < mostTries; tries++) {
      await sleep(1000)
      done = sumOf(done, await this.#forget(false))
    }
    if (done.busy === 0) return this.#end(done)
    this.show(done, () => facts(describe(done.counts, true)))
    throw new Problem("conflict", `the Host is handling or sending ${counted(done.busy, "row")} of the user`, {
      hint: "Repeat the command once it is done: svc inbox list --state running, svc outbox list --state sending.",
    })
  }

  #end({counts, busy, erased, remains}: Done): boolean {
    this.show({counts, busy, erased, remains}, () =>
      facts([
        ...describe(counts, !this.dryRun),
        ["erased", erased && promises[erased]],
        ...(remains === null ? [] : describeRemains(remains)),
      ]),
    )
    return true
  }

  /** Runs all steps, and sums up their counts. */
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
      throw new Problem("request_invalid", "this cannot be undone, and there is no terminal to ask for confirmation", {
        hint: "--yes does it without confirmation; --dry-run only prints what it would do.",
      })
    return askIfSure("Forget this user? This cannot be undone.")
  }
}

/** Adds up the counts of two steps; everything else comes from the later one. */
const sumOf = (one: Done, later: Done): Done => ({
  ...later,
  counts: Object.fromEntries(userParts.map(part => [part, one.counts[part] + later.counts[part]])) as UserCounts,
})

/** For each kind: its noun, the planned action, and the completed action. */
const kinds: Readonly<Record<UserPartName, readonly [string, string, string]>> = {
  timers: ["timer", "to cancel", "cancelled"],
  inbox: ["inbox event", "to redact", "redacted"],
  errors: ["error", "to empty in the event log", "emptied in the event log"],
  outbox: ["outbox message", "to redact, or to cancel if not sent", "redacted, or cancelled if not sent"],
  agents: ["agent run", "to redact", "redacted"],
  memories: ["note", "of agents to delete", "of agents deleted"],
  state: ["value", "of plugin state to delete", "of plugin state deleted"],
  prompts: ["question", "to end", "ended"],
  members: ["membership", "to delete", "deleted"],
}

const describe = (counts: UserCounts, isDone: boolean): Facts =>
  userParts.map(part => {
    const [what, next, done] = kinds[part]
    return [part, `${counted(counts[part], what)} ${isDone ? done : next}`]
  })

const describeRemains = ({checkpoints, workItems, pluginTables, eventLog}: UserRemains): Facts => {
  const inItems =
    workItems === null
      ? "work items and their Journal, which were not searched: no Host is running"
      : `${counted(workItems, "work item")} and their Journal, which name the user`
  return [
    ["remains", checkpoints.length === 0 ? "no checkpoints" : `earlier checkpoints: ${checkpoints.join(", ")}`],
    ["", inItems],
    ["", pluginTables.length === 0 ? "no tables of plugins" : `tables of plugins: ${pluginTables.join(", ")}`],
    ["", `the event log, where errors may repeat the user's words, for ${eventLog} at most; and the log`],
  ]
}
