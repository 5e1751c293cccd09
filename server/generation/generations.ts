import {toJson} from "../../shared/json.ts"
import {isProblem, Problem, toProblem} from "../../shared/problems.ts"
import type {Variables} from "../config/expand.ts"
import {type ConfigText, readConfigText} from "../config/load.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import {Running} from "../runtime/flow/running.ts"
import {checkText} from "./check-text.ts"
import {createDraft, type Draft, type DraftOptions, describeFailure} from "./draft.ts"
import type {Failure, Generation, NewPin, Pin} from "./generation.ts"
import type {GenerationHistory} from "./history.ts"
import type {Instance} from "./instances/instance.ts"
import {disposeInOrder} from "./instances/services.ts"
import {foldersOf} from "./kinds/page.ts"
import {migrateDraft, type SaveBefore} from "./migrate-draft.ts"
import {restartReasons} from "./restart.ts"
import {RunningGeneration} from "./running-generation.ts"
import {buildSnapshot} from "./snapshot.ts"
import {type Switch, switchIn} from "./switch.ts"

export interface GenerationsOptions extends DraftOptions {
  readonly runtimeId: string
  readonly configFile: string
  readonly history: GenerationHistory
  /** Runs instead of the current project, which does not start. The Host then commits nothing. */
  readonly lastGood?: Pick<Generation, "committedAt"> & {readonly generation: number; readonly config: ConfigText}
  readonly endpoints: Endpoints
  /** False in production: changed code of a running plugin and a changed lockfile then need a restart. */
  readonly mayChangeCode: boolean
  readonly readVariables: () => Promise<Variables>
  /** A hash of the project's lockfile. */
  readonly readLockfile: () => Promise<string>
  /** Called before plugins' migrations that cannot be undone. */
  readonly saveBefore: SaveBefore
  /** Where the generations become visible to other parts; a new one when left out. */
  readonly running?: RunningGeneration
  /** Called when a draft was not committed. */
  readonly onFail?: (failure: Failure) => void
}

/** Returns replacements for some of the running instances. */
export type MakeNext = (running: readonly Instance[]) => Promise<ReadonlyMap<Instance, Instance>>

/** Restores the previous content of the configuration file. */
export type TakeBack = () => Promise<void>

/** How long handlers of a replaced instance may continue, in milliseconds. */
const drainLimit = 5000

/**
 * The running generation, and how it changes: create the complete next one, commit it durably, swap, open, drain,
 * dispose. A failed draft leaves the running generation unchanged.
 */
export class Generations {
  readonly #options: GenerationsOptions
  readonly running: RunningGeneration
  readonly #stopping = new AbortController()
  #lastFailure: Failure | undefined
  /** The hash of the lockfile with which this process started. */
  #lockfile: string | undefined
  /** Disposals of replaced instances, which a stop waits for. */
  readonly #leaving = new Running()

  constructor(options: GenerationsOptions) {
    this.running = options.running ?? new RunningGeneration()
    this.#options = {...options, signal: AbortSignal.any([options.signal, this.#stopping.signal])}
  }

  /** The last failed draft, until another one is committed. */
  get lastFailure(): Failure | undefined {
    return this.#lastFailure
  }

  /** Commits the first generation of this run. Rejects with the reason if it cannot be committed. */
  start(): Promise<Generation> {
    return this.running.change(async () => {
      const {lastGood} = this.#options
      if (lastGood !== undefined) return this.#runAgain(lastGood)
      const pin = await this.#options.history.pin()
      const file = await readConfigText(this.#options.configFile)
      return pin?.fileSha256 === file.sha256
        ? this.#advanceTo(await this.#pinned(pin), "started", pin)
        : this.#advanceTo(file, "started")
    })
  }

  /**
   * Applies the current configuration file. Resolves to undefined if nothing has changed; failed endpoints then get
   * another attempt, because the cause may be resolved. A pin holds while the file is the one that it was set for.
   * Throws what `createDraft` throws, and `restart_required`.
   */
  reload(reason: string): Promise<Generation | undefined> {
    return this.running.change(async () => {
      const file = await readConfigText(this.#options.configFile).catch(error => this.#fail(reason, error))
      if (this.running.pin?.fileSha256 === file.sha256)
        return this.#advance(await this.#pinned(this.running.pin), reason, this.running.pin)
      return this.#advance(file, reason)
    })
  }

  /** Runs the configuration of an earlier generation. It is pinned until the file changes or it is unpinned. */
  rollback(number: number): Promise<Generation> {
    return this.running.change(async () => {
      const file = await readConfigText(this.#options.configFile)
      const pin = {number, fileSha256: file.sha256}
      return this.#advanceTo(await this.#pinned(pin), `rollback to ${number}`, pin)
    })
  }

  /** Removes the pin and applies the configuration file. */
  unpin(): Promise<Generation> {
    return this.running.change(async () => {
      if (this.running.pin === undefined) throw new Problem("conflict", "no generation is pinned")
      return this.#advanceTo(await readConfigText(this.#options.configFile), "unpinned")
    })
  }

  /** Turns a plugin on or off, and pins that until the file says the same. Throws as `switchIn` and a draft. */
  turn(wanted: Switch): Promise<Generation> {
    return this.running.change(async () => {
      const {config} = this.running.require()
      const file = await readConfigText(this.#options.configFile)
      const {text, pin} = switchIn(config, this.running.pin, file, wanted)
      return this.#advanceTo(text, `${wanted.enabled ? "enabled" : "disabled"} ${wanted.name}`, pin)
    })
  }

  /** Checks a text's keys and values. Runs only the code that plugins run when they load. Throws as `checkText`. */
  check(text: ConfigText): Promise<void> {
    return this.running.change(async () =>
      checkText(text, await this.#options.readVariables(), this.running.current, this.#options),
    )
  }

  /** Creates a draft and undoes it. Resolves to what needs a restart, and what `look` sees. Throws as `createDraft`. */
  try<T>(
    text: ConfigText,
    look: (draft: Draft) => T,
  ): Promise<{readonly restart: readonly string[]; readonly seen: T}> {
    return this.running.change(async () => {
      const {draft, reasons} = await this.#judge(text)
      try {
        return {restart: reasons, seen: look(draft)}
      } finally {
        await draft.dispose()
      }
    })
  }

  /**
   * Commits a text that is not in the file yet. `write` writes the file once the draft succeeds, so that after a kill
   * in between the next start finds a tested configuration. `write` resolves to a function that restores the file, for
   * a refused commit. A pin ends. Throws what `createDraft` and `write` throw, and `restart_required`; nothing has
   * changed then.
   */
  adopt(text: ConfigText, reason: string, write: () => Promise<TakeBack>): Promise<Generation> {
    return this.running.change(async () => {
      this.#requireCommits()
      const draft = await this.#draft(text)
      const giveUp = async (error: unknown): Promise<never> => {
        await draft.dispose()
        throw error
      }
      const takeBack = await write().catch(giveUp)
      const generation = await this.#commit(draft, reason, undefined).catch(async error => {
        // The generation may be committed; the file must then stay.
        if (!isProblem(error, "database_outcome_unknown")) await takeBack()
        return giveUp(error)
      })
      this.#swap(generation, draft)
      return generation
    })
  }

  /** What earlier runs committed, too. */
  get history(): Pick<GenerationHistory, "list" | "configOf"> {
    return this.#options.history
  }

  /**
   * Replaces a failed instance, and those that use its services, with the result of `makeNext` in the same generation.
   * Without a replacement, everything that the failed instance published is removed. Does nothing if the instance has
   * left the running generation meanwhile.
   */
  replace(failed: Instance, makeNext: MakeNext): Promise<void> {
    return this.running.change(async () => {
      const current = this.running.current
      if (current === undefined || !current.instances.includes(failed)) return
      const next = await makeNext(current.instances)
      const instances = current.instances.map(instance => next.get(instance) ?? instance)
      const active = instances.filter(instance => instance.state.is === "active")
      const {agents, messages} = current.snapshot
      const {snapshot} = buildSnapshot(current.config, active, agents, messages.texts, this.#options.log)
      this.running.current = Object.freeze({...current, instances, snapshot})
      const leaving = [...next.keys()].filter(instance => instance !== failed)
      this.#adjustEndpoints(this.running.current, leaving)
    })
  }

  /** Aborts a change in progress and disposes everything. Running work has `limit` milliseconds to end. */
  async stop(limit: number): Promise<void> {
    this.#stopping.abort()
    await this.running.idle()
    await disposeInOrder(this.running.current?.instances ?? [], limit)
    await this.#leaving.ends()
  }

  /** Runs an earlier generation under its old number. Its migrations were applied when it was committed. */
  async #runAgain({generation: number, committedAt, config: text}: NonNullable<GenerationsOptions["lastGood"]>) {
    const draft = await this.#draft(text).catch(error => this.#fail("last good", error))
    const generation = asGeneration(draft, {number, committedAt, reason: "last good"})
    this.#swap(generation, draft)
    return generation
  }

  #requireCommits(): void {
    const {lastGood} = this.#options
    if (lastGood === undefined || this.running.current === undefined) return
    throw new Problem(
      "restart_required",
      `generation ${lastGood.generation} runs as the last good one, and the Host commits nothing until it is restarted`,
    )
  }

  async #pinned(pin: Pin): Promise<ConfigText> {
    const {config, configSha256} = await this.#options.history.configOf(pin.number)
    return {file: `generation ${pin.number}`, text: config, sha256: configSha256}
  }

  async #advanceTo(text: ConfigText, reason: string, pin?: NewPin): Promise<Generation> {
    const generation = (await this.#advance(text, reason, pin)) ?? this.running.current
    if (generation === undefined) throw new Problem("internal", "no generation was committed")
    return generation
  }

  async #advance(text: ConfigText, reason: string, pin?: NewPin): Promise<Generation | undefined> {
    this.#requireCommits()
    const draft = await this.#draft(text).catch(error => this.#fail(reason, error, text))
    if (this.#isSame(draft, pin)) {
      if (this.#lastFailure !== undefined) this.#options.log.info("the configuration is valid again, and unchanged")
      await draft.dispose()
      this.#forgetFailure(pin)
      if (this.running.current !== undefined) this.#adjustEndpoints(this.running.current, [])
      return undefined
    }
    const generation = await this.#commit(draft, reason, pin).catch(async error => {
      await draft.dispose()
      return this.#fail(reason, error, text)
    })
    this.#swap(generation, draft)
    return generation
  }

  async #judge(text: ConfigText): Promise<{readonly draft: Draft; readonly reasons: readonly string[]}> {
    const {loader, readVariables, readLockfile, mayChangeCode} = this.#options
    await loader.keepOnly((this.running.current?.instances ?? []).map(({plugin}) => plugin.module))
    const draft = await createDraft(text, await readVariables(), this.running.current, this.#options)
    const lockfile = await readLockfile()
    this.#lockfile ??= lockfile
    const reasons = restartReasons(this.running.current, draft, mayChangeCode)
    if (!mayChangeCode && lockfile !== this.#lockfile) reasons.push("the lockfile")
    return {draft, reasons}
  }

  async #draft(text: ConfigText): Promise<Draft> {
    const {draft, reasons} = await this.#judge(text)
    if (reasons.length === 0) return draft
    await draft.dispose()
    throw new Problem("restart_required", `these changes need a restart: ${reasons.join(", ")}`)
  }

  /** Records and logs that the next generation, which needs a restart, was not committed, as the last failure. */
  refuse(reason: string, problem: Problem): void {
    const place = problem.issues.length === 0 ? "" : `\n${describeFailure(problem)}`
    this.#failed({reason, problem}, `the Host was not restarted (${reason}): ${problem.message}${place}`)
  }

  #failed(failure: Omit<Failure, "at">, message: string): void {
    this.#lastFailure = {at: Date.now(), ...failure}
    this.#options.onFail?.(this.#lastFailure)
    this.#options.log.error(message, {code: failure.problem.code})
  }

  /** The failure of a pinned file stays while the pin holds. */
  #forgetFailure(pin: NewPin | undefined): void {
    if (pin === undefined || pin.fileSha256 !== this.#lastFailure?.configSha256) this.#lastFailure = undefined
  }

  #fail(reason: string, error: unknown, text?: ConfigText): never {
    const problem = toProblem(error, "generation_failed")
    if (problem.code === "stopping") throw problem
    const message = `generation not committed (${reason}): ${describeFailure(problem)}`
    this.#failed({reason, problem, configSha256: text?.sha256}, message)
    throw problem
  }

  #isSame(draft: Draft, pin: NewPin | undefined): boolean {
    const current = this.running.current
    return (
      current !== undefined &&
      draft.fresh.length === 0 &&
      draft.instances.length === current.instances.length &&
      draft.config.sha256 === current.config.sha256 &&
      pin?.number === this.running.pin?.number &&
      toJson(draft.config.config) === toJson(current.config.config) &&
      toJson(foldersOf(draft.snapshot.pages)) === toJson(foldersOf(current.snapshot.pages)) &&
      draft.snapshot.endpoints.every(
        ({fingerprint}, index) => fingerprint === current.snapshot.endpoints[index]?.fingerprint,
      )
    )
  }

  async #commit(draft: Draft, reason: string, pin: NewPin | undefined): Promise<Generation> {
    const {history, runtimeId} = this.#options
    await migrateDraft(draft, {...this.#options, isStart: this.running.current === undefined})
    const committedAt = Date.now()
    const plugins = Object.fromEntries(draft.instances.map(({name, plugin}) => [name, plugin.fingerprint]))
    const number = await history.commit({committedAt, runtimeId, reason, config: draft.config, plugins, pin})
    this.running.pin = pin && {...pin, number: pin.number === "own" ? number : pin.number}
    return asGeneration(draft, {number, committedAt, reason})
  }

  #swap(generation: Generation, draft: Draft): void {
    const leaving = (this.running.current?.instances ?? []).filter(instance => !generation.instances.includes(instance))
    for (const note of generation.notes)
      if (this.running.current?.notes.includes(note) !== true) this.#options.log.warn(note)
    this.running.current = generation
    this.#forgetFailure(this.running.pin)
    for (const instance of draft.fresh) instance.activate()
    this.running.committed(generation)
    this.#adjustEndpoints(generation, leaving)
  }

  /** Opens and closes endpoints, then disposes the replaced instances. A stop waits for it. */
  #adjustEndpoints(generation: Generation, leaving: readonly Instance[]): void {
    const closed = this.#options.endpoints.apply(generation.snapshot.endpoints)
    void this.#leaving.add(() => closed.then(() => disposeInOrder(leaving, drainLimit)))
  }
}

const asGeneration = (
  {config, instances, snapshot, notes}: Draft,
  about: Pick<Generation, "number" | "committedAt" | "reason">,
): Generation => Object.freeze({...about, config, instances, snapshot, notes})
