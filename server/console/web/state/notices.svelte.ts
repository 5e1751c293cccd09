import type {Envelope} from "../../../../shared/event-stream.ts"
import {describeRefusal} from "../host/explain.ts"
import type {Live} from "./live.svelte.ts"

/** What became of something that the operator did. */
export interface Notice {
  readonly id: number
  readonly title: string
  readonly state: "running" | "done" | "failed"
  readonly detail: string
  /** The event that tells of it. */
  readonly event?: Envelope
}

export interface Deed<T> {
  /** What is being done, as its notice says. */
  readonly title: string
  readonly run: () => Promise<T>
  /** What its result says. */
  readonly say?: (result: T) => string
  /** The event that tells of it: of one of these types, and about what was done. */
  readonly event?: {readonly types: readonly string[]; readonly fits?: (event: Envelope, result: T) => boolean}
}

/** How long an event is waited for, in milliseconds. */
const patience = 10_000

/** What the operator does, and how it ended. */
export class Notices {
  list = $state.raw<readonly Notice[]>([])
  readonly #live: Live
  #count = 0

  constructor(live: Live) {
    this.#live = live
  }

  /** Does it, shows that it is being done, and how it ended, with its event. Resolves to whether it was done. */
  async perform<T>(deed: Deed<T>): Promise<boolean> {
    const id = ++this.#count
    const seen: Envelope[] = []
    let arrived: () => void = () => {}
    const unlisten = this.#live.listen(event => {
      if (deed.event?.types.includes(event.type) !== true) return
      seen.push(event)
      arrived()
    })
    this.#put({id, title: deed.title, state: "running", detail: ""})
    try {
      const result = await deed.run()
      const detail = deed.say?.(result) ?? ""
      this.#put({id, title: deed.title, state: "done", detail})
      if (deed.event === undefined) return true
      const {fits = () => true} = deed.event
      const until = Date.now() + patience
      for (;;) {
        const event = seen.find(each => fits(each, result))
        if (event !== undefined) {
          this.#put({id, title: deed.title, state: "done", detail, event})
          return true
        }
        if (Date.now() >= until) return true
        await new Promise<void>(resolve => {
          arrived = resolve
          setTimeout(resolve, until - Date.now())
        })
      }
    } catch (error) {
      this.#put({id, title: deed.title, state: "failed", detail: describe(error)})
      return false
    } finally {
      unlisten()
    }
  }

  dismiss(id: number): void {
    this.list = this.list.filter(notice => notice.id !== id)
  }

  #put(notice: Notice): void {
    const others = this.list.filter(({id}) => id !== notice.id)
    this.list = [...others, notice].slice(-4)
  }
}

const describe = (error: unknown): string => (error instanceof Error ? describeRefusal(error) : String(error))
