/** Recognizes the error across copies of this module. */
const brand = Symbol.for("svc.userError")

/**
 * Throw it in a handler to reply with its text. It does not count as a failure: svc discards what the handler had
 * queued, sends the text as the reply, and counts the handler as handled. `retries` do not apply.
 */
export class UserError extends Error {
  override readonly name = "UserError"
  readonly [brand] = true
}

export const isUserError = (error: unknown): error is UserError => error instanceof Error && brand in error
