import {Histogram} from "../../shared/meter.ts"
import type {Dispatch, Outcome} from "./handling.ts"

/** What the handlers of one plugin instance took, and how they ended. */
export interface HandlerFigures {
  /** `root/<plugin_name>`, or `host` for the Host's own handlers. */
  readonly owner: string
  readonly ends: Readonly<Record<Outcome["is"], number>>
  readonly seconds: Histogram
}

interface Counting extends HandlerFigures {
  readonly ends: Record<Outcome["is"], number>
}

/** Times handlers, with plain integers: it stands in the way of each of them. */
export class HandlerMeter {
  /** How often the event loop was blocked for longer than the watchdog waits. */
  blocks = 0
  readonly #byOwner = new Map<string, Counting>()
  readonly #byHandler = new Map<string, Counting>()

  get owners(): readonly HandlerFigures[] {
    return [...this.#byOwner.values()]
  }

  /** The same dispatch, timed. */
  measure(dispatch: Dispatch): Dispatch {
    return {
      match: (...args) => dispatch.match(...args),
      order: handlers => dispatch.order(handlers),
      run: async (stored, handler, attempt) => {
        const begun = performance.now()
        const outcome = await dispatch.run(stored, handler, attempt)
        const figures = this.#byHandler.get(handler) ?? this.#meet(handler)
        figures.ends[outcome.is]++
        figures.seconds.observe((performance.now() - begun) / 1000)
        return outcome
      },
    }
  }

  #meet(handler: string): Counting {
    const owner = ownerOf(handler)
    const figures = this.#byOwner.get(owner) ?? {
      owner,
      ends: {handled: 0, failed: 0, interrupted: 0},
      seconds: new Histogram(),
    }
    this.#byOwner.set(owner, figures)
    this.#byHandler.set(handler, figures)
    return figures
  }
}

/** `root/<plugin_name>/<kind>/<name>`; the Host's own are `host/<name>`. */
const ownerOf = (handler: string): string => {
  const [root = "", plugin = ""] = handler.split("/")
  return root === "root" ? `root/${plugin}` : root
}
