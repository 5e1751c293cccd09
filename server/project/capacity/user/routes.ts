import {userData, userOperations} from "../../../../shared/api/operations/messages.ts"
import {serve} from "../../../../shared/api/operations/operation.ts"
import type {UserData} from "./user-data.ts"

export const userRoutes = (users: UserData, project: string) =>
  serve(userOperations, {
    export: ({query}) =>
      new Response(bodyOf(users.export(query, project)), {
        headers: {"content-type": userData, "cache-control": "no-store"},
      }),
    forget: ({body: {endpoint, user, dryRun = false, next}}) => users.forget({endpoint, user}, {dryRun, next}),
  })

const encoder = new TextEncoder()

/** After this many idle milliseconds, an empty line keeps the connection open. */
const longestSilence = 10_000

const bodyOf = (pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async controller => {
      const began = performance.now()
      for (;;) {
        const {done, value} = await pieces.next()
        if (done === true) return controller.close()
        if (value === "" && performance.now() - began < longestSilence) continue
        return controller.enqueue(encoder.encode(value === "" ? "\n" : value))
      }
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
