import {ForgetRequest, Forgotten, UserQuery} from "../../../../shared/api/users/users.ts"
import type {Static} from "../../../../shared/type.ts"
import {answering, type Operation} from "../../operations.ts"

/** A user of a platform, by an endpoint's name and the platform's id. */
type PlatformUser = Readonly<Static<typeof UserQuery>>

/** The part of the Host that these routes control. */
export interface UserService {
  forget(user: PlatformUser, options: {readonly dryRun: boolean; readonly next: string | undefined}): Promise<Forgotten>
  /** Yields pieces, which may be empty. */
  export(user: PlatformUser, project: string): AsyncGenerator<string>
}

const type = "application/x-ndjson"

export const exportUser = (users: UserService, project: string): Operation => ({
  summary: "Everything that is stored about a user, one line per row; the last line has the counts",
  query: UserQuery,
  response: {200: type},
  stream: true,
  handle: (_, call) => {
    const {endpoint = "", user = ""} = call.query as Partial<PlatformUser>
    const pieces = users.export({endpoint, user}, project)
    return new Response(bodyOf(pieces), {headers: {"content-type": type, "cache-control": "no-store"}})
  },
})

export const forgetUser = answering({
  summary: "Forget a user: redact the messages, and cancel what is pending for the user",
  body: ForgetRequest,
  answer: Forgotten,
  run: ({body: {endpoint, user, dryRun = false, next}}, users: UserService) =>
    users.forget({endpoint, user}, {dryRun, next}),
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
