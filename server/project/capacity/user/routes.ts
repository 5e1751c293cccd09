import {userData, userOperations} from "../../../../shared/api/operations/messages.ts"
import {serve} from "../../../../shared/api/operations/operation.ts"
import type {Forgotten, UserQuery} from "../../../../shared/api/users/users.ts"
import type {Static} from "../../../../shared/type.ts"

/** A user of a platform, by an endpoint's name and the platform's id. */
type PlatformUser = Readonly<Static<typeof UserQuery>>

/** The part of the Host that these routes control. */
export interface UserService {
  forget(user: PlatformUser, options: {readonly dryRun: boolean; readonly next: string | undefined}): Promise<Forgotten>
  /** Yields pieces, which may be empty. */
  export(user: PlatformUser, project: string): AsyncGenerator<string>
}

export const userRoutes = (users: UserService, project: string) =>
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
