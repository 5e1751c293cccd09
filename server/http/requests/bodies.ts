import {Problem} from "../../../shared/problems.ts"
import {limits} from "../../runtime/runtime.ts"

/** After how many seconds a sender may retry. */
const retryAfter = 5

/** The share of one request in the room for bodies. */
export interface BodyHold {
  /** Counts bytes that are in memory now. Throws `no_room`. */
  take(bytes: number): void
  /** The request was answered: frees its bytes and ignores later ones. */
  close(): void
}

/** The shared room for the bodies of all pending requests: `limits.bodies` bytes. */
export class Bodies {
  readonly #closed: () => void
  #held = 0

  /** `closed` runs whenever a request was answered. */
  constructor(closed: () => void) {
    this.#closed = closed
  }

  open(): BodyHold {
    let own = 0
    let isClosed = false
    return {
      take: bytes => {
        if (isClosed) return
        if (this.#held + bytes > limits.bodies) {
          throw new Problem("no_room", `bodies of other requests use all ${limits.bodies} bytes`, {retryAfter})
        }
        own += bytes
        this.#held += bytes
      },
      close: () => {
        isClosed = true
        this.#held -= own
        own = 0
        this.#closed()
      },
    }
  }
}
