import {setImmediate as turn} from "node:timers/promises"
import {v7 as uuid} from "uuid"
import type {Endpoint} from "../../../server/endpoints/endpoint.ts"
import type {Inbox} from "../../../server/inbox/inbox.ts"
import type {Attempt, Dispatch, InboxEvent, Outcome} from "../../../server/inbox/intake/handling.ts"
import {personOf} from "../../../server/inbox/intake/prompts.ts"
import {Problem} from "../../../shared/problems.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {HandlerOrder} from "../../../shared/sdk/session/handler.ts"
import type {MortalDatabase} from "../../support/database/mortal-database.ts"
import {type Chance, seedOf} from "../../support/machine/chance.ts"
import {continuation} from "./dialogue.ts"
import {type Plan, planOf, type Track} from "./model.ts"

/** The middleware of a history, outermost first. */
const middleware = ["root/line/middleware/outer", "root/line/middleware/inner"]

export const isMiddleware = (handler: string): boolean => middleware.includes(handler)

export const around = (handler: string): readonly string[] =>
  isMiddleware(handler) ? middleware.slice(0, middleware.indexOf(handler)) : middleware

/** The channel and user of an event: the same at each delivery. */
export const placeOf = (id: string) => ({
  channel: `c${seedOf(1, id) % 3}`,
  user: seedOf(3, id) % 4 === 0 ? "bob" : "ann",
})

/** One process, from its start to its end. */
export interface Life {
  readonly database: MortalDatabase
  readonly inbox: Inbox
  readonly endpoint: Endpoint
  readonly runtimeId: string
  /** Resolving it ends hanging handlers, as disposing their plugin would. */
  readonly interrupted: PromiseWithResolvers<void>
  /** The running event ids, by lane. */
  readonly running: Map<string, string[]>
  /** The newest event of each lane that a handler received. */
  readonly newest: Map<string, number>
  /** Handlers that have started, each with its event. */
  readonly begun: Set<string>
  /** Middleware that has learnt that the handlers inside it have ended. */
  readonly gone: Set<string>
  /** Running middleware that has not passed its event on. */
  readonly closed: Set<string>
  /** Events from earlier lives, to be handled one at a time; empty when none of them is a suspect. */
  readonly suspects: Set<string>
  isStopping: boolean
}

export interface Scene {
  readonly seed: number
  readonly chance: Chance
  /** Events that an operator had run again; they may follow newer ones. */
  readonly again: ReadonlySet<string>
  readonly faults: string[]
  isCalm(): boolean
  track(name: string): Track
}

/** The handlers of one life. Each run follows its plan. */
export class Handlers implements Dispatch {
  readonly #scene: Scene
  readonly #life: Life

  constructor(scene: Scene, life: Life) {
    this.#scene = scene
    this.#life = life
  }

  match({message}: SatoriEvent, asked?: string): readonly string[] {
    const kind = seedOf(2, message?.id ?? "")
    const outside = middleware.filter((_, index) => (kind >> (index + 1)) % 3 === 0)
    const inside = ["one", "two"].slice(0, 1 + (kind % 2))
    return [...(asked === undefined ? [] : [asked]), ...outside, ...inside]
  }

  nest(handlers: readonly string[]) {
    return {
      around: middleware.filter(name => handlers.includes(name)),
      within: handlers.filter(name => !isMiddleware(name)),
    }
  }

  /** In every other history, all handlers keep the order of their channel. */
  orderOf(handler: string): HandlerOrder {
    const {seed} = this.#scene
    if (seed % 2 === 0 || handler === continuation || isMiddleware(handler)) return "channel"
    return (handler === "one") === (seed % 4 === 1) ? "user" : "none"
  }

  /** What a handler of an event waits for. With middleware and other orders, the history does not check it. */
  #laneOf({event}: InboxEvent, handler: string): string {
    const [id, channel, order] = [event.message?.id ?? "", event.channel?.id ?? "", this.orderOf(handler)]
    const isChecked = this.#scene.seed % 2 === 0 || !this.match(event).some(isMiddleware)
    if (!isChecked || order === "none") return `event ${id}`
    return order === "user" ? `${channel} ${event.user?.id}` : channel
  }

  async run(stored: InboxEvent, handler: string, attempt: Attempt): Promise<Outcome> {
    const id = stored.event.message?.id ?? ""
    const lane = this.#laneOf(stored, handler)
    this.#begin(id, handler, lane, stored.event.sn)
    const name = `${id} ${handler}`
    const outcome = await this.#handle(stored, handler, this.#scene.track(name), attempt)
    this.#life.closed.delete(name)
    const rest = this.#life.running.get(lane) ?? []
    rest.splice(rest.indexOf(id), 1)
    return outcome
  }

  /** Checks the order: lanes and a suspect backlog one by one, and handlers inside a middleware only once it passed. */
  #begin(id: string, handler: string, lane: string, seq: number): void {
    const {running, newest, suspects, closed, begun, gone} = this.#life
    const {faults, again} = this.#scene
    const here = running.get(lane) ?? []
    if (here.some(other => other !== id)) faults.push(`${id} began while ${here} ran in ${lane}`)
    const latest = newest.get(lane) ?? 0
    if (seq < latest && !again.has(id)) faults.push(`${id} began after a newer event of ${lane}`)
    newest.set(lane, Math.max(latest, seq))
    running.set(lane, [...here, id])
    const all = new Set([...running.values()].flat())
    if (suspects.has(id) && all.size > 1 && !again.has(id)) faults.push(`${id}, replayed, began beside ${[...all]}`)
    for (const each of around(handler)) {
      const isFirst = !begun.has(`${id} ${handler}`) && !again.has(id)
      if (isFirst && gone.has(`${id} ${each}`)) faults.push(`${id} ${handler} began after ${each} had gone on`)
      if (closed.has(`${id} ${each}`)) faults.push(`${id} ${handler} began though ${each} had not let it pass`)
    }
    begun.add(`${id} ${handler}`)
    if (isMiddleware(handler)) closed.add(`${id} ${handler}`)
  }

  async #handle({event}: InboxEvent, handler: string, track: Track, attempt: Attempt): Promise<Outcome> {
    const {seed, faults, isCalm} = this.#scene
    const run = track.plans.length
    const plan = planOf(seed, track.name, run, isCalm())
    track.plans.push(plan)
    for (let n = 0; n < plan.turns; n++) await turn()
    if (handler === continuation) await this.#hear(track, attempt)
    for (let n = 0; n < plan.early; n++) {
      const sent = await attempt.sendNow(draftOf(event, `early ${n}`), n)
      if ((track.early.get(n) ?? sent) !== sent)
        faults.push(`${track.name}: sendNow ${n} was answered twice, differently`)
      track.early.set(n, sent)
    }
    if (isMiddleware(handler) && plan.passes && (await this.#pass(track.name, attempt))) return {is: "interrupted"}
    if (plan.end === "hangs") {
      if (!this.#life.isStopping) await this.#life.interrupted.promise
      return {is: "interrupted"}
    }
    track.ended.set(run, plan.end)
    if (plan.end === "timeout") void this.#late(track, attempt, draftOf(event, "late"))
    return outcomeOf(event, track, run, plan, isMiddleware(handler) && !plan.passes)
  }

  /** Resolves to whether the middleware was cut off while the handlers inside it were running. */
  async #pass(name: string, attempt: Attempt): Promise<boolean> {
    const {closed, gone, interrupted} = this.#life
    closed.delete(name)
    const cut = interrupted.promise.then(() => true)
    const isCut = await Promise.race([attempt.next().then(() => false), cut])
    if (!isCut) gone.add(name)
    return isCut
  }

  /** A continuation must receive its question in each of its runs. */
  async #hear(track: Track, attempt: Attempt): Promise<void> {
    const question = await attempt.question()
    if (question === undefined) this.#scene.faults.push(`${track.name} has no question`)
    else if ((track.question ?? question.id) !== question.id)
      this.#scene.faults.push(`${track.name} has another question`)
    track.question = question?.id
  }

  async #late(track: Track, attempt: Attempt, draft: Parameters<Attempt["sendNow"]>[0]): Promise<void> {
    const {chance, faults} = this.#scene
    const turns = 20 + chance.below(20)
    for (let n = 0; n < turns; n++) await turn()
    await attempt.sendNow(draft, 99).then(
      () => faults.push(`${track.name} sent after its end`),
      error => {
        if (!(error instanceof Problem) || error.code !== "late") faults.push(String(error))
      },
    )
  }
}

const outcomeOf = (event: SatoriEvent, track: Track, run: number, {end, asks}: Plan, stops: boolean): Outcome => {
  const {retries, name} = track
  const {sends, writes, asks: asked} = track.leftBy(run)
  const questions = asked.map(data => questionOf(event, data, asks === "expired" ? 1 : Date.now() + 3_600_000))
  const left = {sends: sends.map(text => draftOf(event, text)), questions}
  switch (end) {
    case "threw":
    case "hangs":
      return {is: "failed", error: "as planned", retries}
    case "timeout":
      return {is: "failed", error: "no end"}
    case "refused":
      return {is: "handled", retries, stops, ...left, writes: [write(name, "")]}
    case "handled":
      return {is: "handled", retries, stops, ...left, writes: writes.map(text => write(name, text))}
  }
}

const draftOf = ({channel}: SatoriEvent, text: string) => ({
  id: uuid(),
  kind: "message" as const,
  endpoint: "line",
  channel: channel?.id ?? "",
  content: [text],
})

const questionOf = ({channel, user}: SatoriEvent, data: string, expiresAt: number) => ({
  id: uuid(),
  handler: continuation,
  endpoint: "line",
  channel: channel?.id ?? "",
  user: personOf(user ?? {id: ""}),
  data,
  expiresAt,
})

const write = (mark: string, text: string) => ({
  sql: "INSERT INTO tally (mark, text) VALUES (?, ?)",
  args: [mark, text],
})
