import type {Binding} from "../../../shared/agents/binding.ts"
import {messageOf} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import {isAccepted, persist} from "../../database/persist.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Embedded, EmbeddingModel} from "../providers/embedding.ts"
import {ModelFailure} from "../providers/model.ts"
import {type BoundModel, embeddingOf} from "../providers/models.ts"
import {estimateText} from "../providers/tokens.ts"
import type {Engine, Question} from "../runs/engine.ts"
import {assertDayLimits, dayOf, spending} from "../runs/spending.ts"
import {selectMissing, storingVector} from "./vectors.ts"

/** How long a run waits for the vector of its question, and a batch of memories for theirs, in milliseconds. */
const questionLimit = 2000
const batchLimit = 30_000

const mostAtOnce = 32
const longestQuestion = 8000

const pauses: Backoff = {first: 1000, longest: 300_000}

/** Statuses for a text that the model does not accept. */
const ofText: readonly (number | undefined)[] = [400, 413, 422]

export interface EmbedderOptions extends Pick<Engine, "database" | "log" | "clock" | "meter"> {
  readonly bindings: () => readonly Binding[]
  readonly open: (model: BoundModel) => Promise<EmbeddingModel>
}

/** Without a model, words alone find memories. */
export const noEmbeddings: Engine["embeddings"] = {question: async () => undefined, consider: () => {}}

/** Gives the memories of agents their vectors, in the background, and questions theirs. */
export class Embedder {
  readonly #options: EmbedderOptions
  readonly #abort = new AbortController()
  readonly #models = new WeakMap<Binding, Promise<EmbeddingModel>>()
  /** By agent and model: the last memory that needs no vector. */
  readonly #done = new Map<string, number>()
  /** By agent: failures in a row, and until when it rests. */
  readonly #failures = new Map<string, {readonly count: number; readonly until: number}>()
  #working: Promise<void> | undefined
  #isDirty = false
  #cancel = () => {}

  constructor(options: EmbedderOptions) {
    this.#options = options
  }

  /** Call it when there may be new memories, or another model. */
  consider(): void {
    if (this.#abort.signal.aborted) return
    this.#isDirty = true
    this.#working ??= this.#work()
      .catch(error => {
        if (!this.#abort.signal.aborted) this.#options.log.error("could not embed memories", {error})
      })
      .finally(() => {
        this.#working = undefined
        if (this.#isDirty) this.consider()
      })
  }

  async stop(): Promise<void> {
    this.#cancel()
    this.#abort.abort(new Error("the Host is stopping"))
    await this.#working
  }

  /** Resolves to the vector of a question; undefined if there is none in time: then words alone find memories. */
  async question(binding: Binding, text: string): Promise<Question | undefined> {
    const model = embeddingOf(binding)
    if (model === undefined || text.trim() === "" || this.#restOf(binding) > 0) return undefined
    const embedded = await this.#embed(binding, model, [text.slice(0, longestQuestion)], questionLimit).catch(() => {})
    const vector = embedded?.vectors[0]
    return vector && {source: model.source, vector}
  }

  async #work(): Promise<void> {
    while (this.#isDirty && !this.#abort.signal.aborted) {
      this.#isDirty = false
      for (const binding of this.#options.bindings()) {
        const model = embeddingOf(binding)
        if (model !== undefined && binding.config.enabled) await this.#embedAll(binding, model)
      }
    }
  }

  async #embedAll(binding: Binding, model: BoundModel): Promise<void> {
    const {database, log} = this.#options
    const key = `${binding.name} ${model.source}`
    let size = mostAtOnce
    while (!this.#abort.signal.aborted) {
      const rest = this.#restOf(binding)
      if (rest > 0) return this.#continueIn(rest)
      const args = [this.#done.get(key) ?? 0, binding.name, model.source, size]
      const rows = await persist("the memories", log, () => database.read(selectMissing, args))
      const last = Number(rows.at(-1)?.seq)
      if (rows.length === 0) return
      const texts = rows.map(({text}) => String(text))
      try {
        const embedded = await this.#embed(binding, model, texts, batchLimit)
        if (embedded === undefined) return this.#continueIn(pauses.longest)
        const batch = embedded.vectors.map((vector, n) => storingVector(Number(rows[n]?.seq), model.source, vector))
        await persist("the memories", log, () => database.write(batch))
      } catch (error) {
        this.#abort.signal.throwIfAborted()
        if (!(error instanceof ModelFailure && ofText.includes(error.status))) continue
        // One text may be at fault: each is sent alone, and that one stays without a vector.
        this.#failures.delete(binding.name)
        if (size > 1) size = 1
        if (rows.length > 1) continue
      }
      this.#done.set(key, last)
    }
  }

  /** Resolves to undefined if the limits of the day do not allow the call. */
  async #embed(
    binding: Binding,
    model: BoundModel,
    texts: readonly string[],
    limit: number,
  ): Promise<Embedded | undefined> {
    const {database, clock, log, meter} = this.#options
    const {name, config} = binding
    const reserved = texts.reduce((sum, text) => sum + estimateText(text), 0)
    const day = dayOf(clock.now())
    const spender = {agent: name, endpoint: undefined, channel: undefined, place: {}}
    const count = (tokens: number) => spending(spender, day, {tokens})
    const reserving = [assertDayLimits(spender, config, day, {tokens: reserved}), count(reserved)]
    if (!(await isAccepted(database.write(reserving)))) return undefined
    const began = clock.elapsed()
    const ended = (outcome: "done" | "failed") =>
      meter.modelEnded(name, model.settings.model, (clock.elapsed() - began) / 1000, outcome)
    try {
      const work = async (signal: AbortSignal) => (await this.#open(binding, model)).embed(texts, signal)
      const embedded = await withTimeLimit(limit, work, this.#abort.signal)
      ended("done")
      if (this.#failures.delete(name)) log.info(`${model.at} embeds again`)
      await database.write([count(embedded.tokens - reserved)])
      return embedded
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        ended("failed")
        this.#failed(binding, model, error)
      }
      throw error
    }
  }

  #failed({name}: Binding, {at, source}: BoundModel, error: unknown): void {
    const {log, clock} = this.#options
    const count = (this.#failures.get(name)?.count ?? 0) + 1
    const why = `${source} (${at}) did not embed: ${messageOf(error)}`
    if (count === 1) log.warn(`${why}; until it does, words alone find memories`)
    else log.debug(why)
    this.#failures.set(name, {count, until: clock.elapsed() + pauseAfter(count, pauses)})
  }

  #restOf({name}: Binding): number {
    return Math.max(0, (this.#failures.get(name)?.until ?? 0) - this.#options.clock.elapsed())
  }

  #continueIn(pause: number): void {
    this.#cancel()
    this.#cancel = this.#options.clock.wait(Math.ceil(pause), () => this.consider())
  }

  #open(binding: Binding, model: BoundModel): Promise<EmbeddingModel> {
    const known = this.#models.get(binding) ?? this.#options.open(model)
    this.#models.set(binding, known)
    known.catch(() => this.#models.delete(binding))
    return known
  }
}
