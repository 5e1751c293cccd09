import type {Route, Scope} from "../../../shared/route.ts"
import type {FixedAnswer} from "../../runtime/runtime.ts"

/** The answers of this turn of the event loop, by route and scope; forgotten at its end, so that none is outdated. */
export class TurnAnswers {
  readonly #routes = new Map<Route, Map<Scope, FixedAnswer>>()

  /** The answers of a route by scope; undefined without any. */
  of(route: Route): ReadonlyMap<Scope, FixedAnswer> | undefined {
    return this.#routes.get(route)
  }

  set(route: Route, scope: Scope, answer: FixedAnswer): void {
    if (this.#routes.size === 0) setImmediate(this.forget)
    const answers = this.#routes.get(route)
    if (answers === undefined) this.#routes.set(route, new Map([[scope, answer]]))
    else answers.set(scope, answer)
  }

  readonly forget = (): void => this.#routes.clear()
}
