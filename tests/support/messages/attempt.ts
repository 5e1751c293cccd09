import type {Attempt} from "../../../server/inbox/intake/handling.ts"

/** The first attempt of a handler that is called directly: nothing is stored. */
export const firstAttempt: Attempt = {
  age: 0,
  sendNow: async draft => draft.id,
  sent: async () => undefined,
  own: async () => undefined,
  question: async () => undefined,
  next: async () => {},
}
