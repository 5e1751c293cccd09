import type {Attempt} from "../../../server/inbox/handling.ts"

/** The first attempt of a handler that nobody was asked by: nothing of it is stored. */
export const firstAttempt: Attempt = {
  sendNow: async draft => draft.id,
  sent: async () => undefined,
  question: async () => undefined,
  next: async () => {},
}
