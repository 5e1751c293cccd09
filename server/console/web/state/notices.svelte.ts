import type {Envelope} from "../../../../shared/events/event-stream.ts"
import {Unreachable} from "../host/client.ts"
import {describeRefusal} from "../host/explain.ts"
import {aboutOf, toneOfEvent} from "../host/links.ts"
import {texts} from "../texts/texts.ts"
import type {Live} from "./live.svelte.ts"

/** The result of one of the operator's actions. */
export interface Notice {
  readonly id: number
  readonly title: string
  /** `untold`: the Host accepted the action, but no event has reported its outcome. */
  readonly state: "running" | "done" | "failed" | "untold"
  readonly detail: string
  /** The event that reports the outcome. */
  readonly event?: Envelope
  /** The address parts of the page that shows the result. */
  readonly about?: readonly (string | number)[]
}

export interface Deed<T> {
  /** The title of the notice. */
  readonly title: string
  readonly run: () => Promise<T>
  /** Returns the result in words. */
  readonly say?: (result: T) => string
  /** How long to wait for the event, in milliseconds. */
  readonly patience?: number
  /** Returns the page that shows the result; without it, the notice links to the page of the event. */
  readonly about?: (result: T) => readonly (string | number)[] | undefined
  /** The event that reports the outcome: one of these types that fits the result. */
  readonly event?: {readonly types: readonly string[]; readonly fits?: (event: Envelope, result: T) => boolean}
}

/** How long to wait for an event, in milliseconds. If the Host restarts meanwhile, the wait is at most `afterStart`. */
const shortPatience = 10_000
export const longPatience = 300_000
const afterStart = 3000

/** How long the notice of a success stays, in milliseconds; the notice of a failure stays until it is dismissed. */
const shown = 8000

/** The notices of the operator's actions. */
export class Notices {
  list = $state.raw<readonly Notice[]>([])
  readonly #live: Live
  #count = 0
  readonly #fading = new Map<number, ReturnType<typeof setTimeout>>()
  #isHeld = false

  constructor(live: Live) {
    this.#live = live
  }

  /** Runs an action, and shows its progress and its outcome with the event. Resolves to whether it succeeded. */
  async perform<T>(deed: Deed<T>): Promise<boolean> {
    const id = ++this.#count
    const seen: Envelope[] = []
    const restart: {at?: number} = {}
    let arrived: () => void = () => {}
    const unlisten = this.#live.listen(event => {
      if (deed.event?.types.includes(event.type) === true) seen.push(event)
      else if (event.type === "host.started") restart.at ??= Date.now()
      else return
      arrived()
    })
    this.#put({id, title: deed.title, state: "running", detail: ""})
    try {
      const result = await deed.run()
      // An earlier start was that of the Host that has answered.
      delete restart.at
      const named = deed.about?.(result)
      const said = {id, title: deed.title, detail: deed.say?.(result) ?? "", ...(named && {about: named})}
      if (deed.event !== undefined) this.#put({...said, state: "running"})
      if (deed.event === undefined) {
        this.#put({...said, state: "done"})
        return true
      }
      const event = await this.#await(deed, result, seen, restart, resolve => {
        arrived = resolve
      })
      if (event === undefined) {
        const why = restart.at === undefined ? texts.notices.noEvent : texts.notices.startedAgain
        this.#put({...said, state: "untold", detail: [said.detail, why].filter(text => text !== "").join(" ")})
        return true
      }
      const isGood = toneOfEvent(event) !== "bad"
      const about = named ?? aboutOf(event)
      this.#put({...said, state: isGood ? "done" : "failed", event, ...(about && {about})})
      return isGood
    } catch (error) {
      this.#put({id, title: deed.title, state: "failed", detail: describeError(error)})
      return false
    } finally {
      unlisten()
    }
  }

  /** Waits for the event that reports the outcome; resolves to undefined when the wait is over. */
  async #await<T>(
    {event: wanted, patience = shortPatience}: Deed<T>,
    result: T,
    seen: readonly Envelope[],
    restart: {readonly at?: number},
    onArrival: (resolve: () => void) => void,
  ): Promise<Envelope | undefined> {
    if (wanted === undefined) return undefined
    const {fits = () => true} = wanted
    const begun = Date.now()
    for (;;) {
      const until = Math.min(begun + patience, (restart.at ?? Number.POSITIVE_INFINITY) + afterStart)
      const event = seen.find(each => fits(each, result))
      if (event !== undefined || Date.now() >= until) return event
      await new Promise<void>(resolve => {
        onArrival(resolve)
        setTimeout(resolve, until - Date.now())
      })
    }
  }

  dismiss(id: number): void {
    clearTimeout(this.#fading.get(id))
    this.#fading.delete(id)
    this.list = this.list.filter(notice => notice.id !== id)
  }

  /** Keeps the notices until `release`, because the user is reading them. */
  hold(): void {
    this.#isHeld = true
    for (const timer of this.#fading.values()) clearTimeout(timer)
    this.#fading.clear()
  }

  release(): void {
    this.#isHeld = false
    for (const notice of this.list) this.#fade(notice)
  }

  #put(notice: Notice): void {
    const others = this.list.filter(({id}) => id !== notice.id)
    this.list = [...others, notice].slice(-4)
    this.#fade(notice)
  }

  #fade({id, state}: Notice): void {
    clearTimeout(this.#fading.get(id))
    if (state !== "done" || this.#isHeld) return
    this.#fading.set(
      id,
      setTimeout(() => this.dismiss(id), shown),
    )
  }
}

/** Without an answer, nobody knows whether the request arrived. */
const describeError = (error: unknown): string => {
  if (error instanceof Unreachable) return `${error.message}. ${texts.notices.mayBeDone}`
  return describeRefusal(error)
}
