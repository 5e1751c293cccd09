import {refused, retryAfter} from "../../../../shared/sdk/sdk.ts"

/** An error of the Bot API (core.telegram.org/bots/api#making-requests). */
export class BotApiError extends Error {
  readonly code: number
  /** The seconds to wait before the next request. */
  readonly wait: number | undefined
  /** The id of the supergroup that replaces the group. */
  readonly movedTo: number | undefined

  /** Does the bot's token look like one? */
  readonly isToken: boolean

  constructor(
    code: number,
    description: string,
    {retry_after, migrate_to_chat_id}: {readonly retry_after?: number; readonly migrate_to_chat_id?: number} = {},
    isToken = true,
  ) {
    super(description)
    this.code = code
    this.wait = retry_after
    this.movedTo = migrate_to_chat_id
    this.isToken = isToken
  }

  /** Whether this is one of these refusals. The API has no codes for them. */
  says(words: RegExp): boolean {
    return this.code === 400 && words.test(this.message)
  }
}

/**
 * Whether the token is invalid: 401 if it looks like a token, otherwise 404. A method that the server lacks also gets
 * 404.
 */
const isTokenRefused = ({code, message}: BotApiError): boolean =>
  code === 401 || (code === 404 && !/method/i.test(message))

/** Converts an answer of the Bot API to a refusal or a wait. Returns other errors unchanged. */
export const failureOf = (error: unknown): unknown => {
  if (!(error instanceof BotApiError)) return error
  const {code, message, wait} = error
  if (code === 429) return retryAfter((wait ?? 1) * 1000, message)
  if (isTokenRefused(error))
    return refused(`Telegram rejected the token: ${message}`, {
      passing: code === 404 && error.isToken,
      reason: "credentials",
      remediation: "Correct the variable that token names. /token of @BotFather shows the bot's token.",
    })
  if (code === 409)
    return refused(message, {
      passing: true,
      reason: "conflict",
      remediation: "Stop the other program that uses this token, or revoke the token at @BotFather.",
    })
  if (code === 403)
    return refused(message, {
      passing: true,
      reason: "forbidden",
      remediation: "The user has blocked the bot or never started it, or the bot may not write in the chat.",
    })
  if (code >= 400 && code < 500)
    return refused(message, {
      passing: true,
      reason: "request_refused",
      remediation: "Telegram will reject this again: correct the part that it names.",
    })
  return error
}

/** Runs an act, and converts its errors for the Host. */
export const acting = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw failureOf(error)
  }
}
