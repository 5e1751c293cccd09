import type {Envelope, Notice, StreamGap} from "../../../../shared/api/event-stream.ts"
import type {HostClient} from "../host/client.ts"
import {type ConnectionState, followEvents} from "../host/feed.ts"

/** What the stream has told, in its order; a gap stands where the events would that are missing. */
export type Told =
  | {readonly is: "event"; readonly event: Envelope}
  | {readonly is: "gap"; readonly gap: StreamGap; readonly at: number}
  | {readonly is: "notice"; readonly notice: Notice}

/** What wants to know that something has changed; undefined stands for anything: after a gap, and after each connection. */
export type Watcher = (types: ReadonlySet<string> | undefined) => void

/** So much of the stream is kept in the page. */
const kept = 1000

/** What comes within so many milliseconds is shown at once. */
const gathering = 60

/** The Host's event stream, as the page sees it. */
export class Live {
  connection = $state.raw<ConnectionState>({is: "connecting"})
  told = $state.raw<readonly Told[]>([])
  /** The newest gap, until somebody has seen it. */
  gap = $state.raw<StreamGap>()
  /** The database is failing, as the Host says to whoever is there. */
  notice = $state.raw<Notice>()
  #gathered: Told[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #watchers = new Set<Watcher>()
  readonly #listeners = new Set<(event: Envelope) => void>()

  /** Follows a Host until the signal. */
  follow(client: HostClient, signal: AbortSignal): void {
    let isFirst = true
    void followEvents(
      client,
      {
        state: state => {
          this.connection = state
        },
        hello: () => {
          // What was loaded before may be older than where the stream begins.
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

  /** Tells of changes; returns its end. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Tells of each event at once; returns its end. */
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
