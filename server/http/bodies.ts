import {Problem} from "../../shared/problems.ts"
import {limits} from "../runtime/runtime.ts"

/** When a sender may come again with its body, in seconds. */
const retryAfter = 5

/** What one request holds of the room for bodies. */
export interface BodyHold {
  /** Counts bytes that are in memory now. Throws `no_room`. */
  take(bytes: number): void
  /** The request was answered: what it took is free again, and it takes no more. */
  close(): void
}

/** One room for the bodies of all requests that are not answered yet: `limits.bodies` bytes. */
export class Bodies {
  #held = 0

  open(): BodyHold {
    let own = 0
    let isClosed = false
    return {
      take: bytes => {
        if (isClosed) return
        if (this.#held + bytes > limits.bodies) {
          throw new Problem("no_room", `the bodies of other requests take ${limits.bodies} bytes`, {retryAfter})
        }
        own += bytes
        this.#held += bytes
      },
      close: () => {
        isClosed = true
        this.#held -= own
        own = 0
      },
    }
  }
}
