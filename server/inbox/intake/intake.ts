import type {Log} from "../../../shared/log.ts"
import {isProblem} from "../../../shared/problems.ts"
import type {Receipt, ReceiveOptions} from "../../../shared/sdk/adapter/adapter.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {readJson} from "../../../shared/sdk/session/values.ts"
import type {Database} from "../../database/database.ts"
import {ChangeFailed} from "../../database/engine/errors.ts"
import type {Gather} from "../../database/gather.ts"
import {persist} from "../../database/persist.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import {keptSince} from "../../endpoints/pasts.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Lanes} from "../../runtime/flow/lanes.ts"
import type {Reservation} from "../../runtime/flow/reservation.ts"
import {sinceOf} from "./age.ts"
import {type Arrival, type Delivery, eventKeyOf, gatherDeliveries, type Stored} from "./arrivals.ts"
import type {Dispatch, InboxEvent, Seeing} from "./handling.ts"
import {contentHash, requireEvent, toEvent} from "./incoming.ts"
import {type Due, readUnsettled} from "./marks.ts"
import type {Group, Placed} from "./order.ts"
import type {Outages} from "./outages.ts"
import {
  conversationOf,
  type Found,
  hasAction,
  mayAnyPress,
  type Press,
  Presses,
  pressing,
  pressType,
  refusals,
} from "./presses.ts"
import type {Prompts, Question} from "./prompts.ts"
import {rawToStore, readRaw} from "./raw.ts"
import type {Repeats} from "./repeats.ts"

/** When this state was restored from a checkpoint, in milliseconds since 1970; 0 for never. */
export interface RestoredAt {
  readonly at: number
  /** By endpoint, the newest event of the replaced state, if its platform's clock was ahead. */
  readonly until?: Readonly<Record<string, number>>
}

/** A stored event whose handlers are to run. */
export interface Task {
  readonly seq: number
  readonly handlers: readonly string[]
  /** Handlers whose marks are `running` although they have not begun. */
  readonly claimed: Set<string>
  /** Kept while the backlog is short; otherwise it is read again. */
  readonly stored: InboxEvent | undefined
  /** Left by an earlier run. */
  readonly isReplay: boolean
}

interface Offer {
  readonly arrival: Arrival
  /** Without its sequence, which is not known yet. */
  readonly event: SatoriEvent
  /** From when its age counts, in milliseconds since 1970. */
  readonly since: number
  /** The question that it answers. If another event answers it first, this one is for the handlers of `otherwise`. */
  readonly question: Question | undefined
  /** The button that it presses; the same applies. */
  readonly press: Press | undefined
  readonly seeing: Seeing | undefined
  readonly parts: readonly Part[]
  /** Those of the handlers of `otherwise`. */
  readonly instead: readonly Part[]
}

/** Handlers of an event that run together, and their reserved place. */
interface Part {
  readonly handlers: readonly string[]
  /** True if they begin as soon as the event is stored; otherwise they wait in their lane. */
  readonly hasTurn: boolean
  readonly place: Reservation<Task>
}

interface Settled extends Stored {
  /** An earlier try to store it had an unknown outcome: if it was stored then, its handlers have not run yet. */
  readonly isUnsettled: boolean
}

const droppedReceipt: Receipt = {sn: 0, duplicate: false, dropped: true}

/** Beyond this length of the backlog, events are not kept in memory but read again when their turn comes. */
const keptInMemory = 1000

export interface IntakeOptions {
  readonly database: Database
  readonly log: Log
  readonly runtimeId: string
  readonly clock: Clock
  readonly lanes: Lanes<Task>
  readonly prompts: Prompts
  readonly repeats: Repeats
  readonly outages: Pick<Outages, "reasonFor" | "stored">
  /** Replayed events older than this cannot be recognized as repetitions, in milliseconds since 1970. */
  readonly oldest: () => number
  /** Divides the handlers of an event by their order. */
  readonly groups: (event: Placed, handlers: readonly string[]) => readonly Group[]
  readonly scrub: (json: string) => string
  /** Runs the handlers of an event that was stored although storing it seemed to fail. */
  readonly resume: (due: readonly Due[]) => void
}

/** Takes an event into the inbox: it is offered, stored, and passed to its handlers. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #deliveries: Gather<Delivery, readonly Stored[]>
  readonly #presses: Presses<Task>
  #dispatch: Dispatch | undefined
  #restored: RestoredAt = {at: 0}
  /** Events with an unknown outcome of storing, by endpoint and platform id. */
  readonly #unsettled = new Set<string>()

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#presses = new Presses(options.database, options.lanes, options.clock)
    this.#deliveries = gatherDeliveries(options.database, options.runtimeId)
  }

  start(dispatch: Dispatch, restored: RestoredAt): void {
    this.#dispatch = dispatch
    this.#restored = restored
  }

  /** Resolves once events and cursor are durable, in one batch. Stores a platform id once. Throws `event_invalid`. */
  async receive(
    endpoint: Endpoint,
    incoming: readonly Incoming[],
    {cursor}: ReceiveOptions = {},
  ): Promise<readonly Receipt[]> {
    for (const each of incoming) requireEvent(endpoint, each)
    const horizon = endpoint.spec.history === "replay" ? this.#options.oldest() : Number.NEGATIVE_INFINITY
    const isKnowable = ({timestamp}: Incoming) => (timestamp ?? Number.POSITIVE_INFINITY) >= horizon
    const known = incoming.filter(isKnowable)
    const presses = mayAnyPress(endpoint, known) ? await this.#presses.find(endpoint, known) : []
    const offers = this.#offerAll(endpoint, known, presses)
    try {
      const dropped = incoming.length - offers.length
      const settled = await this.#store(endpoint, offers, cursor, dropped)
      const receipts = await Promise.all(offers.map((offer, index) => this.#confirm(offer, settled[index] as Settled)))
      const next = receipts.values()
      return incoming.map(each => (isKnowable(each) ? (next.next().value as Receipt) : droppedReceipt))
    } finally {
      releaseAll(presses, offers)
    }
  }

  /** Offers all events, or none if one is invalid. */
  #offerAll(endpoint: Endpoint, incoming: readonly Incoming[], presses: readonly Found<Task>[]): readonly Offer[] {
    const offers: Offer[] = []
    try {
      for (const [index, each] of incoming.entries()) offers.push(this.#offer(endpoint, each, presses[index]))
      return offers
    } catch (error) {
      releaseAll(presses, offers)
      for (const {question, arrival} of offers) {
        this.#unhold(arrival, false)
        if (question !== undefined) void this.#options.prompts.recheck(question).catch(() => {})
      }
      throw error
    }
  }

  /** Prepares an event for storing, and reserves its places. */
  #offer(endpoint: Endpoint, incoming: Incoming, expected?: Found<Task>): Offer {
    const {lanes, prompts, clock, outages, groups} = this.#options
    const {name} = endpoint.spec
    const now = clock.now()
    const event = toEvent(endpoint, inChannel(incoming, expected?.press), now)
    const {sn: _, ...stored} = event
    const text = readJson("the event", stored, "event_invalid")
    const content = contentHash(incoming, endpoint.spec)
    const id = endpoint.spec.claimedIds ? `${incoming.id} ${content}` : incoming.id.toWellFormed()
    const kept = incoming.isKept === true ? keptSince(endpoint.past) : null
    const since = sinceOf({timestamp: event.timestamp, receivedAt: now, keptSince: kept})
    const conversation = conversationOf(endpoint, incoming)
    // A cursor that was restored with the state redelivers events that the replaced state may have handled.
    const {at, until} = this.#restored
    const isRestored = event.timestamp < at || event.timestamp <= (until?.[name] ?? 0)
    const asked = isRestored ? undefined : prompts.find(name, event)
    const matched = this.#match(event, name, asked?.handler)
    const question = asked !== undefined && matched.includes(asked.handler) ? asked : undefined
    // A question that waits for this user has priority over a list.
    const found = question === undefined ? expected?.press : undefined
    const handlers = found === undefined ? matched : this.#match(event, name, found.handler)
    // The handlers have another one for a user without the permission.
    const press = found !== undefined && hasAction(found) && handlers.includes(found.handler) ? found : undefined
    const isAnswer = question !== undefined || press !== undefined
    const otherwise = isAnswer
      ? this.#match(event, name, event.type === pressType ? refusals.taken : undefined)
      : handlers
    const isKept = incoming.raw !== undefined && this.#dispatch?.keepsRaw?.([...handlers, ...otherwise]) === true
    const raw = isKept && incoming.raw !== undefined ? rawToStore(incoming.raw, this.#options.scrub) : null
    if (question !== undefined) prompts.take(question)
    const reason = () => (handlers.length === 0 ? undefined : outages.reasonFor(endpoint.past, conversation, since))
    const held: Arrival["held"] = isRestored ? "restored" : reason()
    const reserve = (all: readonly string[]) =>
      groups({conversation, user: event.user?.id, id}, all).map(({lane, handlers: each}): Part => {
        const turn = each.length > 0 && held === undefined ? lanes.enter(lane) : undefined
        return {handlers: each, hasTurn: turn !== undefined, place: turn ?? lanes.expect(lane)}
      })
    const parts = reserve(handlers)
    const begun = isAnswer || this.#mayExpire(name, handlers, now - since) ? [] : parts.filter(({hasTurn}) => hasTurn)
    const seeing = this.#dispatch?.seeing?.(name, event)
    const arrival = {
      endpoint: name,
      id,
      conversation,
      type: event.type,
      at: now,
      keptSince: kept,
      event: text,
      raw,
      content,
      handlers,
      claimed: begun.flatMap(part => this.#first(part.handlers)),
      held,
      also: [
        ...(question === undefined ? [] : prompts.answering(question, name, id, otherwise)),
        ...(press === undefined ? [] : pressing(press, {endpoint: name, eventId: id, user: event.user}, otherwise)),
        ...(seeing === undefined ? [] : [seeing.statement]),
      ],
    }
    return {
      arrival,
      event,
      since,
      question,
      press,
      seeing,
      parts,
      instead: isAnswer ? reserve(otherwise) : [],
    }
  }

  async #store(
    {spec: {name}}: Endpoint,
    offers: readonly Offer[],
    cursor: string | undefined,
    dropped: number,
  ): Promise<readonly Settled[]> {
    const {prompts, clock} = this.#options
    const unsettled = offers.map(({arrival}) => this.#unsettled.delete(eventKeyOf(arrival)))
    const recheck = (question: Question) => void prompts.recheck(question).catch(() => {})
    const arrivals = offers.map(({arrival}) => arrival)
    try {
      const stored = await this.#deliveries.store({endpoint: name, arrivals, cursor, dropped, at: clock.now()})
      return stored.map((each, index) => {
        const question = offers[index]?.question
        if (question !== undefined && !each.didAlso) recheck(question)
        return {...each, isUnsettled: unsettled[index] === true}
      })
    } catch (error) {
      const isUnknown = isProblem(error, "database_outcome_unknown")
      for (const [index, {arrival, question}] of offers.entries()) {
        this.#unhold(arrival, false)
        if (isUnknown || unsettled[index] === true) void this.#resume(arrival).catch(() => {})
        if (question !== undefined) recheck(question)
      }
      // For the platform, an event that is not stored is never the sender's fault: it may deliver the event again.
      throw isProblem(error, "database_refused") ? new ChangeFailed(error.message, error) : error
    }
  }

  /** Passes a new event to its handlers, in its place. An event that was stored before needs nothing more. */
  async #confirm(offer: Offer, {seq, didAlso, isUnsettled}: Settled): Promise<Receipt> {
    const {arrival, question, press, seeing, parts, instead} = offer
    seeing?.stored()
    this.#unhold(arrival, seq !== undefined)
    if (seq === undefined) {
      if (isUnsettled) await this.#resume(arrival)
      return {sn: await this.#options.repeats.count(arrival), duplicate: true, dropped: false}
    }
    const isPlain = question === undefined && press === undefined
    if (arrival.held === undefined) this.#hand(offer, seq, isPlain || didAlso ? parts : instead)
    return {sn: seq, duplicate: false, dropped: false}
  }

  #hand({arrival: {endpoint, claimed, raw}, event, since}: Offer, seq: number, parts: readonly Part[]): void {
    const stored = {endpoint, event: {...event, sn: seq}, since, raw: readRaw(raw)}
    for (const {handlers, hasTurn, place} of parts) {
      if (handlers.length === 0) continue
      const isKept = hasTurn || this.#options.lanes.length < keptInMemory
      const task = {seq, handlers, claimed: new Set(claimed), stored: isKept ? stored : undefined, isReplay: false}
      place.commit(task)
    }
  }

  /** Storing an event has ended. */
  #unhold({held, conversation}: Arrival, isNew: boolean): void {
    if (held !== undefined && held !== "restored") this.#options.outages.stored(conversation, isNew)
  }

  #match(event: SatoriEvent, endpoint: string, asked?: string): readonly string[] {
    return this.#dispatch?.match(event, asked, endpoint) ?? []
  }

  /** Returns the handlers that begin as soon as it is an event's turn. */
  #first(handlers: readonly string[]): readonly string[] {
    const {around = [], within = []} = this.#dispatch?.nest(handlers) ?? {}
    return around.length > 0 ? around.slice(0, 1) : within
  }

  /** May one of these handlers be too old? Pauses are not deducted. Such an event claims no attempt. */
  #mayExpire(endpoint: string, handlers: readonly string[], age: number): boolean {
    const ages = this.#dispatch?.ages
    return ages !== undefined && handlers.some(each => age > (ages.limitOf(endpoint, each) ?? Number.POSITIVE_INFINITY))
  }

  /** Finds out whether an event was stored although storing it seemed to fail. If so, it is handled like any other. */
  async #resume(arrival: Arrival): Promise<void> {
    const {database, log, runtimeId, resume} = this.#options
    const key = eventKeyOf(arrival)
    this.#unsettled.add(key)
    const [due] = await persist(`event ${arrival.id}`, log, () => readUnsettled(database, arrival, runtimeId))
    if (this.#unsettled.delete(key) && due !== undefined) resume([due])
  }
}

const releaseAll = (presses: readonly Found<Task>[], offers: readonly Offer[]): void => {
  for (const {place} of [...presses, ...offers.flatMap(({parts, instead}) => [...parts, ...instead])]) place.release()
}

/** Returns a press as an event of its message's channel, where its user's permission is judged. */
const inChannel = (incoming: Incoming, {channel: id}: Partial<Press> = {}): Incoming =>
  id === undefined ? incoming : {...incoming, channel: {type: channelType.text, ...incoming.channel, id}}
