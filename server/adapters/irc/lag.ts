import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import type {Sender} from "../../../shared/sdk/sdk.ts"
import {answered} from "./send.ts"

/** The pause from an answer to the next PING, in milliseconds. */
const pause = 10_000

/**
 * Sends PINGs until the connection closes. A server writes to a client in order, so its answer arrives after everything
 * that it had before the PING. `lag` returns the age of the last answered PING, in milliseconds. `catchUp` sends
 * another PING, and resolves with its answer.
 */
export const measureLag = (client: Client, closed: AbortSignal): Required<Pick<Sender, "lag" | "catchUp">> => {
  let complete = performance.now()
  let pings = 0
  const measure = async (signal: AbortSignal) => {
    const written = performance.now()
    await answered(client, `svc-lag-${++pings}`, signal)
    complete = Math.max(complete, written)
  }
  const repeat = async () => {
    for (;;) {
      await sleep(pause, undefined, {signal: closed})
      await measure(closed)
    }
  }
  repeat().catch(() => {})
  return {lag: () => performance.now() - complete, catchUp: signal => measure(AbortSignal.any([signal, closed]))}
}
