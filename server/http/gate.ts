import type {Hooks} from "crossws"
import {Problem} from "../../shared/problems.ts"
import {health} from "../console/api/system.ts"
import type {Fetch, FixedAnswer} from "../runtime/runtime.ts"
import {problemAnswer} from "./answers.ts"

export interface Gate {
  readonly fetch: Fetch
  readonly fixed: Readonly<Record<string, FixedAnswer>>
  readonly socket: Partial<Hooks>
  /** Lets requests through to the application from now on. */
  open(application: Fetch): void
}

/**
 * What stands in front of the application, from the moment the socket is open: liveness always, readiness `false` and
 * everything else 503 while the Host starts.
 */
export const createGate = (): Gate => {
  let application: Fetch = starting
  return {
    fetch: (request, address) => application(request, address),
    fixed: {"/pub/health": health},
    socket: {
      upgrade: () => problemAnswer(new Problem("not_found", "no WebSocket is served here"), "-"),
    },
    open: opened => {
      application = opened
    },
  }
}

const starting: Fetch = request => {
  if (new URL(request.url).pathname === "/pub/ready") {
    const headers = {"content-type": "application/json", "cache-control": "no-store"}
    return new Response('{"ready":false}', {status: 503, headers})
  }
  return problemAnswer(new Problem("starting", "the Host is starting", {retryAfter: 1}), "-")
}
