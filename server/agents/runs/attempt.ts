import {isProblem} from "../../../shared/problems.ts"
import {assertThat, type Statement} from "../../database/database.ts"
import {persist} from "../../database/persist.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import type {Engine} from "./engine.ts"
import type {AgentRun} from "./run-rows.ts"
import {type Step, selectSteps, stepOf} from "./step-rows.ts"
import {type IsStored, never, stepIs, writeFenced} from "./write.ts"

/** What a batch adds to the figures of a run. */
interface Added extends Partial<Pick<AgentRun, "steps" | "active" | "tokens" | "money">> {
  readonly tokensIn?: number
  readonly tokensOut?: number
}

/** A batch of an attempt, and the same change of the rows that the attempt has read. */
export interface Change {
  /** Stored before everything else of the batch. */
  readonly asserts?: readonly Statement[]
  readonly statements?: readonly Statement[]
  readonly added?: Added
  /** New values of the run. */
  readonly run?: Partial<Pick<AgentRun, "failures" | "message">>
  /** The steps that the statements insert or update, as they are afterwards. */
  readonly steps?: readonly Step[]
  readonly sends?: readonly OutboxDraft[]
}

/** The end of a step, which is stored once. */
export interface StepEnd extends Change {
  readonly n: number
  readonly state: Step["state"]
}

/**
 * An attempt to work on a run. It reads the rows once, because nothing else changes a running run, except to end it. The
 * end of a step can wait for the beginning of the next, so that one batch stores both.
 */
export class Attempt {
  readonly engine: Engine
  #run: AgentRun
  #steps: readonly Step[]
  /** An end that is in the rows of this attempt, and not stored. */
  #waiting: StepEnd | undefined

  private constructor(engine: Engine, run: AgentRun, steps: readonly Step[]) {
    this.engine = engine
    this.#run = run
    this.#steps = steps
  }

  static async open(engine: Engine, claimed: AgentRun): Promise<Attempt> {
    const read = () => engine.database.read(selectSteps, [claimed.seq])
    return new Attempt(engine, claimed, (await persist(`run ${claimed.runId}`, engine.log, read)).map(stepOf))
  }

  get run(): AgentRun {
    return this.#run
  }

  /** The steps, in the order of their numbers. */
  get steps(): readonly Step[] {
    return this.#steps
  }

  /** Stores a change, in one batch with the end that waits. Throws the errors of `writeFenced`. */
  async write(change: Change, isStored: IsStored): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) await this.#store([change], isStored)
    else
      await this.#store([waiting, change], stepIs(waiting.n, waiting.state)).catch(async error => {
        // A change that is refused does not take the end with it.
        if (isProblem(error, "database_refused")) await this.#store([waiting], stepIs(waiting.n, waiting.state))
        throw error
      })
    this.#apply(change)
  }

  /** Stores the end of a step: at once, or with the next batch. Until then, a kill lets the step be done again. */
  async end(end: StepEnd, {mayWait}: {readonly mayWait: boolean}): Promise<void> {
    await this.flush()
    if (mayWait) this.#waiting = end
    else await this.#store([end], stepIs(end.n, end.state))
    this.#apply(end)
  }

  async flush(): Promise<void> {
    if (this.#waiting !== undefined) await this.write({}, never)
  }

  async #store(changes: readonly (Change | StepEnd)[], isStored: IsStored): Promise<void> {
    const {seq} = this.#run
    const batch = [
      ...changes.flatMap(change => ("n" in change ? [assertStepOpen(seq, change.n)] : [])),
      ...changes.flatMap(change => change.asserts ?? []),
      ...updating(seq, changes),
      ...changes.flatMap(change => change.statements ?? []),
    ]
    const sends = changes.flatMap(change => change.sends ?? [])
    await writeFenced(this.engine, this.#run, batch, isStored, sends)
  }

  #apply({added, run, steps: changed = []}: Change): void {
    const {steps, active, tokens, money} = sumOf([this.#run, added ?? {}])
    this.#run = {...this.#run, steps, active, tokens, money, ...run}
    const all = [...this.#steps]
    for (const step of changed) {
      const at = all.findLastIndex(({n}) => n === step.n)
      if (at < 0) all.push(step)
      else all[at] = step
    }
    this.#steps = all
  }
}

/** A batch whose answer was lost must not end the step again: it would return twice what was reserved. */
const assertStepOpen = (run: number, n: number): Statement =>
  assertThat(
    "EXISTS (SELECT 1 FROM agent_steps WHERE run = ? AND n = ? AND state IN ('planned', 'waiting', 'begun'))",
    [run, n],
  )

const sumOf = (all: readonly Added[]) => {
  const sum = (of: keyof Added) => all.reduce((total, added) => total + (added[of] ?? 0), 0)
  return {
    ...{steps: sum("steps"), active: Math.round(sum("active")), tokens: sum("tokens"), money: sum("money")},
    ...{tokensIn: sum("tokensIn"), tokensOut: sum("tokensOut")},
  }
}

const updating = (seq: number, changes: readonly Change[]): readonly Statement[] => {
  const run = Object.assign({}, ...changes.map(change => change.run)) as NonNullable<Change["run"]>
  if (changes.every(change => change.added === undefined && change.run === undefined)) return []
  const {steps, active, tokens, money, tokensIn, tokensOut} = sumOf(changes.flatMap(({added}) => added ?? []))
  return [
    {
      sql: `UPDATE agent_runs SET steps = steps + ?, active_ms = active_ms + ?, tokens = tokens + ?, money = money + ?,
        tokens_in = tokens_in + ?, tokens_out = tokens_out + ?, failures = coalesce(?, failures), message = coalesce(?, message)
        WHERE seq = ?`,
      args: [
        ...[steps, active, tokens, money, tokensIn, tokensOut],
        ...[run.failures ?? null, run.message ?? null, seq],
      ],
    },
  ]
}
