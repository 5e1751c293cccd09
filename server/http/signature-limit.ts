import {isProblem} from "../../shared/problems.ts"
import type {Route} from "../../shared/sdk/route.ts"
import {FailureLimit} from "./auth.ts"

/**
 * Counts the deliveries whose signature is not valid, by address: further ones like that get `too_many_failures`. Every
 * delivery is verified first, so a valid one is never held back, whoever shares its address; the price of a failing
 * one stays what verifying costs.
 */
export const createSignatureLimit = (addressOf: (request: Request) => string) => {
  const failures = new FailureLimit()
  return (handle: Route["handle"]): Route["handle"] =>
    async (request, call) => {
      try {
        return await handle(request, call)
      } catch (error) {
        if (!isProblem(error, "signature_invalid")) throw error
        return failures.refuse(addressOf(request), error, performance.now())
      }
    }
}
