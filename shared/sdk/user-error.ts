/** Marks the error across copies of this module. */
const brand = Symbol.for("svc.userError")

/**
 * Thrown by a handler, it is an answer and no failure: the user gets its text as the reply, what the handler had queued before
 * is discarded, and the handler counts as handled. Its `retries` do not apply.
 */
export class UserError extends Error {
  override readonly name = "UserError"
  readonly [brand] = true
}

export const isUserError = (error: unknown): error is UserError => error instanceof Error && brand in error
