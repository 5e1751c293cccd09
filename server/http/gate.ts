import type {Hooks} from "crossws"
import {Problem} from "../../shared/problems.ts"
import {health, readiness} from "../console/api/system.ts"
import type {Fetch, ServeOptions} from "../runtime/runtime.ts"
import {problemAnswer} from "./answers.ts"

export interface Gate {
  readonly fetch: Fetch
  readonly fixed: ServeOptions["fixed"]
  readonly socket: Partial<Hooks>
  /** Lets requests through to the application from now on; readiness is what `isReady` says. */
  open(application: Fetch, isReady: () => boolean): void
}

/**
 * What stands in front of the application, from the moment the socket is open: liveness always, readiness `false` and
 * everything else 503 while the Host starts.
 */
export const createGate = (): Gate => {
  let application: Fetch = starting
  let isReady = () => false
  return {
    fetch: (request, peerOf) => application(request, peerOf),
    fixed: {"/pub/health": health, "/pub/ready": () => (isReady() ? readiness.ready : readiness.unready)},
    socket: {
      upgrade: () => problemAnswer(new Problem("not_found", "no WebSocket is served here"), "-"),
    },
    open: (opened, decide) => {
      application = opened
      isReady = decide
    },
  }
}

const starting: Fetch = () => problemAnswer(new Problem("starting", "the Host is starting", {retryAfter: 1}), "-")
