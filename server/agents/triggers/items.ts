import type {Binding} from "../../../shared/agents/binding.ts"
import type {Item} from "../../../shared/api/workroom.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import type {Reader} from "../../database/database.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import {agentOf, isFor} from "../runs/items.ts"
import type {AgentService} from "../runs/service.ts"

export interface ItemWatchOptions {
  readonly database: Reader
  readonly workroom: Pick<Workroom, "items" | "observe" | "journalOf">
  readonly log: Log
  readonly clock: Pick<Clock, "now">
  readonly bindingOf: (agent: string) => Binding | undefined
  readonly queue: AgentService["queue"]
  /** Cancels a run whose item no longer belongs to its agent. Throws `agent_run_state` if it has ended. */
  readonly drop: (runId: string) => Promise<void>
}

/** The most runs per hour of one work item. */
const mostAnHour = 20

/** How many records of an item are searched. */
const lookedAt = 200

const countRuns = `SELECT count(*) FILTER (WHERE state IN ('queued', 'running', 'waiting', 'held')) AS open,
  count(*) FILTER (WHERE created_at > ?2) AS recent FROM agent_runs WHERE item = ?1`

/** Working runs check their item before each step themselves. */
const selectOpen =
  "SELECT run_id, agent, item, state FROM agent_runs WHERE state IN ('queued', 'running', 'waiting', 'held') AND item IS NOT NULL"

/** Starts a run for each work item that waits for an agent. */
export class ItemWatch {
  readonly #options: ItemWatchOptions
  #unwatch = () => {}
  #looking: Promise<void> | undefined
  #isDirty = false
  #isRunning = false

  constructor(options: ItemWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#isRunning = true
    this.#unwatch = this.#options.workroom.observe(() => this.consider())
    this.consider()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#unwatch()
    await this.#looking
  }

  get isIdle(): boolean {
    return this.#looking === undefined
  }

  /** Call it when items, bindings or runs may have changed. */
  consider(): void {
    if (!this.#isRunning) return
    this.#isDirty = true
    this.#looking ??= this.#look()
      .catch(error => this.#options.log.error(`could not look for work items for agents: ${messageOf(error)}`, {error}))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #look(): Promise<void> {
    while (this.#isDirty && this.#isRunning) {
      this.#isDirty = false
      await this.#dropTaken()
      for (const item of this.#options.workroom.items) if (this.#isRunning) await this.#judge(item)
    }
  }

  /** Cancels runs of items that were reassigned, or need no more work. */
  async #dropTaken(): Promise<void> {
    const {database, workroom, drop, log} = this.#options
    const rows = await database.read(selectOpen)
    if (rows.length === 0) return
    const items = new Map(workroom.items.map(item => [item.id, item]))
    for (const {run_id, agent, item, state} of rows) {
      if (isFor(items.get(Number(item)), String(agent), state === "running")) continue
      await drop(String(run_id)).catch(error => {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        log.debug(`run ${run_id} has ended: ${error.message}`)
      })
    }
  }

  /** Whether the assignee claimed the item itself. */
  async #isTakenBy({id, assignee}: Item): Promise<boolean> {
    const records = await this.#options.workroom.journalOf(id, Number.MAX_SAFE_INTEGER, lookedAt)
    return records.find(({command}) => giving.includes(command.is))?.actor === assignee
  }

  /** Starts a run for an item that waits for its agent: open or active, without an open run. At most one a revision. */
  async #judge(item: Item): Promise<void> {
    const {database, clock, bindingOf, queue, log} = this.#options
    const agent = agentOf(item)
    if (agent === undefined || (item.state !== "open" && item.state !== "active")) return
    if (bindingOf(agent)?.config.triggers.items !== true) return
    const [runs] = await database.read(countRuns, [item.id, clock.now() - 3_600_000])
    if (Number(runs?.open ?? 0) > 0 || Number(runs?.recent ?? 0) >= mostAnHour) return
    // An agent that claimed an item already works on it.
    if (await this.#isTakenBy(item)) return
    const {conversation} = item
    try {
      await queue({
        agent,
        trigger: "item",
        input: describe(item),
        request: `item/${item.id}/${item.revision}`,
        item: item.id,
        ...(conversation === null
          ? {}
          : {endpoint: conversation.endpoint, channel: {id: conversation.channel, type: channelType.text}}),
      })
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      log.debug(`could not start a run of ${agent} for work item ${item.id}: ${error.message}`)
    }
  }
}

/** Commands that assign or unblock an item. */
const giving: readonly string[] = ["add", "claim", "unblock"]

/** Returns the agent's input for its item. */
const describe = ({id, title, description, priority, labels, createdBy, comments}: Item): string =>
  [
    `Work item ${id}: ${title}`,
    ...(description === "" ? [] : ["", description]),
    "",
    `Priority: ${priority}. Labels: ${labels.join(", ") || "none"}. Added by ${createdBy}.`,
    ...(comments.length === 0 ? [] : ["", "Comments:", ...comments.map(({actor, text}) => `- ${actor}: ${text}`)]),
  ].join("\n")
