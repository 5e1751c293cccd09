import {statusOperations} from "../../shared/api/operations/system.ts"
import type {Log} from "../../shared/log.ts"
import {Problem, toProblem} from "../../shared/problems.ts"
import type {Fetch, FixedChoice, ServeOptions, SocketHooks} from "../runtime/runtime.ts"
import type {Answers} from "./app.ts"
import {answerStatus, type ShownStatus} from "./public/status.ts"
import {health, readiness} from "./readiness/probes.ts"
import {fixedProblem, problemAnswer} from "./requests/answers.ts"

/** The paths below `base` of the operations `perTurn`. */
const polled = Object.values(statusOperations).flatMap(({path, about}) => ("perTurn" in about ? [path] : []))

export interface Gate {
  readonly fetch: Fetch
  readonly fixed: ServeOptions["fixed"]
  readonly socket: SocketHooks
  /** The response when the listener itself refuses a request. Errors of the listener are logged. */
  readonly refuse: ServeOptions["refuse"]
  /**
   * Lets requests and sockets through from now on; `isReady` decides readiness. An upgrade that throws a `Problem`
   * answers with it. The next `open` replaces this one and calls its `replaced`.
   */
  open(application: Answers, isReady: () => boolean, sockets: SocketHooks, replaced?: () => void): void
  /**
   * Closes the gate again. `waitsFor` says what the start waits for; everything but the probes gets that answer. With
   * `keepsStandIn`, a stand-in that was opened with `replaced` stays.
   */
  shut(waitsFor: string, keepsStandIn: boolean): void
}

/**
 * Stands in front of the application from the moment the socket opens. While the Host starts, liveness always passes,
 * readiness is `false`, and everything else but the status page gets 503. Event streams wait for the application
 * instead: a page that gets 503 does not reconnect.
 */
export const createGate = (base: string, status: ShownStatus, log: Log): Gate => {
  let waitsFor: string | undefined
  let opening = Promise.withResolvers<void>()
  const refuse = () => problemAnswer(isStarting(waitsFor), "-")
  const fetch: Fetch = (request, peerOf) => {
    const {pathname} = new URL(request.url)
    if (pathname === `${base}/api/events`) return opening.promise.then(() => application.fetch(request, peerOf))
    const shown = pathname.startsWith(`${base}/`)
      ? answerStatus(status, pathname.slice(base.length), request)
      : undefined
    return shown ?? refuse()
  }
  const closed: Answers = {fetch, recall: () => undefined}
  let application = closed
  const recalled =
    (path: string): FixedChoice =>
    authorization =>
      application.recall(path, authorization)
  let isReady = () => false
  let replace: (() => void) | undefined
  let sockets: SocketHooks = {upgrade: refuse}
  return {
    fetch: (request, peerOf) => application.fetch(request, peerOf),
    fixed: {
      "/pub/health": health,
      "/pub/ready": () => (isReady() ? readiness.ready : readiness.unready),
      ...Object.fromEntries(polled.map(path => [`${base}${path}`, recalled(`${base}${path}`)])),
    },
    refuse: problem => {
      if (problem.code === "internal") log.error("the listener failed to answer", {error: problem.cause})
      return fixedProblem(problem, "-")
    },
    socket: {
      upgrade: (request, peerOf) => {
        try {
          return sockets.upgrade(request, peerOf)
        } catch (error) {
          return problemAnswer(toProblem(error, "internal"), "-")
        }
      },
      open: peer => sockets.open?.(peer),
      message: (peer, message) => sockets.message?.(peer, message),
      close: (peer, details) => sockets.close?.(peer, details),
      error: (peer, error) => sockets.error?.(peer, error),
    },
    open: (ready, decide, served, replaced) => {
      replace?.()
      replace = replaced
      application = ready
      isReady = decide
      sockets = served
      opening.resolve()
    },
    shut: (reason, keepsStandIn) => {
      if (keepsStandIn && replace !== undefined) return
      replace?.()
      replace = undefined
      waitsFor = reason
      if (application !== closed) opening = Promise.withResolvers()
      application = closed
      isReady = () => false
      sockets = {upgrade: refuse}
    },
  }
}

const isStarting = (waitsFor: string | undefined) =>
  new Problem("starting", `the Host is starting${waitsFor === undefined ? "" : `: it waits for ${waitsFor}`}`, {
    retryAfter: 1,
  })
