import {isProblem} from "../../shared/problems.ts"
import {FailureLimit} from "./auth.ts"

/** Answers a request, with what `C` knows of it. */
export type Handle<C> = (request: Request, call: C) => Response | Promise<Response>

/**
 * Counts the deliveries whose signature is not valid, by address: further ones like that get `too_many_failures`. Every
 * delivery is verified first, so a valid one is never held back, whoever shares its address; the price of a failing
 * one stays what verifying costs.
 */
export const createSignatureLimit = (addressOf: (request: Request) => string) => {
  const failures = new FailureLimit()
  return <C>(handle: Handle<C>): Handle<C> =>
    async (request, call) => {
      try {
        return await handle(request, call)
      } catch (error) {
        if (!isProblem(error, "signature_invalid")) throw error
        return failures.refuse(addressOf(request), error, performance.now())
      }
    }
}
