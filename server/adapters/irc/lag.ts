import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import {answered} from "./send.ts"

/** From an answer to the next PING, in milliseconds. */
const pause = 10_000

/**
 * Sends PINGs until the connection closes. A server writes to a client in its own order: with the answer, everything has
 * come that the server had before the PING was written. Returns how many milliseconds ago that was.
 */
export const measureLag = (client: Client, closed: AbortSignal): (() => number) => {
  let complete = performance.now()
  const measure = async () => {
    for (let n = 1; ; n++) {
      await sleep(pause, undefined, {signal: closed})
      const written = performance.now()
      await answered(client, `svc-lag-${n}`, closed)
      complete = written
    }
  }
  measure().catch(() => {})
  return () => performance.now() - complete
}
