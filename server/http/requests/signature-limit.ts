import {isProblem} from "../../../shared/problems.ts"
import type {Call} from "../../../shared/route.ts"
import {FailureLimit} from "./auth.ts"

/** Answers a request; `C` is its context. */
export type Handle<C> = (request: Request, call: C) => Response | Promise<Response>

/**
 * Counts deliveries with an invalid signature by hook and address, because behind a gateway all partners may have one
 * address; above the limit they get `too_many_failures`. Every delivery is verified first, so a valid one is never
 * limited, whatever else its address sends. A failing one still costs its verification.
 */
export const createSignatureLimit = (addressOf: (request: Request) => string) => {
  const failures = new FailureLimit()
  return <C extends Pick<Call, "params">>(handle: Handle<C>): Handle<C> =>
    async (request, call) => {
      try {
        return await handle(request, call)
      } catch (error) {
        if (!isProblem(error, "signature_invalid")) throw error
        const {plugin, endpoint} = call.params
        return failures.refuse(`${plugin}/${endpoint} ${addressOf(request)}`, error)
      }
    }
}
