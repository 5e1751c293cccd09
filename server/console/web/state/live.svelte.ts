import type {Envelope, Notice, StreamGap} from "../../../../shared/events/event-stream.ts"
import type {HostClient} from "../host/client.ts"
import {type ConnectionState, followEvents} from "../host/feed.ts"

/** A message of the stream, in order; a gap takes the place of the missing events. */
export type Told =
  | {readonly is: "event"; readonly event: Envelope}
  | {readonly is: "gap"; readonly gap: StreamGap; readonly at: number}
  | {readonly is: "notice"; readonly notice: Notice}

/**
 * Called after changes with the types of the events; undefined means that anything may have changed: after a gap, and
 * after each connection.
 */
export type Watcher = (types: ReadonlySet<string> | undefined) => void

/** The number of messages that the page keeps. */
const kept = 1000

/** Messages within this time appear together, in milliseconds. */
const gathering = 60

/** The Host's event stream. */
export class Live {
  connection = $state.raw<ConnectionState>({is: "connecting"})
  told = $state.raw<readonly Told[]>([])
  /** The newest gap, until the user dismisses it. */
  gap = $state.raw<StreamGap>()
  /** Set while the Host reports that its database is failing. */
  notice = $state.raw<Notice>()
  #gathered: Told[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #watchers = new Set<Watcher>()
  readonly #listeners = new Set<(event: Envelope) => void>()

  /** Follows a Host until the signal aborts. */
  follow(client: HostClient, signal: AbortSignal): void {
    let isFirst = true
    void followEvents(
      client,
      {
        state: state => {
          this.connection = state
        },
        hello: () => {
          // Earlier answers may be older than the start of the stream.
          this.#wake(undefined)
          isFirst = false
        },
        event: event => {
          for (const listener of this.#listeners) listener(event)
          this.#gather({is: "event", event})
        },
        gap: gap => {
          this.#gather({is: "gap", gap, at: Date.now()})
          if (!isFirst) this.gap = gap
          this.#wake(undefined)
        },
        notice: notice => {
          this.notice = notice.what === "database_failing" ? notice : undefined
          this.#gather({is: "notice", notice})
        },
      },
      signal,
    )
  }

  /** Calls the watcher after changes; returns a function that ends this. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Calls the listener for each event at once; returns a function that ends this. */
  listen(listener: (event: Envelope) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #gather(told: Told): void {
    this.#gathered.push(told)
    this.#timer ??= setTimeout(() => this.#show(), gathering)
  }

  #show(): void {
    this.#timer = undefined
    const fresh = this.#gathered
    this.#gathered = []
    this.told = [...this.told, ...fresh].slice(-kept)
    this.#wake(new Set(fresh.flatMap(each => (each.is === "event" ? [each.event.type] : []))))
  }

  #wake(types: ReadonlySet<string> | undefined): void {
    for (const watcher of this.#watchers) watcher(types)
  }
}
