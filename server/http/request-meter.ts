import {Histogram} from "../../shared/metrics/meter.ts"
import type {Route} from "../../shared/route.ts"
import type {Answer} from "./requests/answers.ts"

/** The requests of one route template. */
export class RouteMeter {
  readonly method: string
  readonly path: string
  /** By the first digit of the status. */
  readonly byClass: number[] = [0, 0, 0, 0, 0, 0]
  readonly latency = new Histogram()
  /** The number of requests answered with 429. */
  limited = 0

  constructor(method: string, path: string) {
    this.method = method
    this.path = path
  }

  /** `begun` is the arrival of the request, by `performance.now()`. */
  count(status: number, begun: number): void {
    if (status === 429) this.limited++
    const digit = Math.trunc(status / 100)
    this.byClass[digit] = (this.byClass[digit] ?? 0) + 1
    this.latency.observe((performance.now() - begun) / 1000)
  }

  /** Returns an answer function that counts its requests here. */
  measure(answer: Answer): Answer {
    return (request, params) => {
      const begun = performance.now()
      const answered = answer(request, params)
      if (answered instanceof Promise) {
        return answered.then(response => {
          this.count(response.status, begun)
          return response
        })
      }
      this.count(answered.status, begun)
      return answered
    }
  }
}

/** Counts requests by route template, with plain integers, because every request passes through it. */
export class RequestMeter {
  /** Requests that match no route, whatever their method and path. */
  readonly unmatched = new RouteMeter("other", "unmatched")
  readonly routes: RouteMeter[] = [this.unmatched]

  add({method, path}: Route): RouteMeter {
    const meter = new RouteMeter(method, path)
    this.routes.push(meter)
    return meter
  }
}
