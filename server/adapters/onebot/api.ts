import {refused} from "../../../shared/sdk/sdk.ts"

/** Calls an action of the OneBot API. Resolves to its `data`. Throws the errors of `resultOf`. */
export type Ask = (action: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a proxy or a gateway answers in the implementation's place. */
export const isPage = (text: string): boolean => /^\s*</.test(text)

/** `passing` if something else may have answered. */
export const wrongToken = (passing = false) =>
  refused("the implementation rejected the access token", {
    passing,
    reason: "credentials",
    remediation:
      "Correct the variable that accessToken names: its value is the access_token in the implementation's configuration.",
  })

/**
 * Returns the `data` of an answer. Throws a refusal if a retry would fail too: the standard has 1400 and 100 for wrong
 * parameters, 1401 and 1403 for the token, 1404 for an unknown action. Other codes depend on the implementation, and a
 * retry may succeed.
 */
export const resultOf = (action: string, answer: unknown): unknown => {
  if (!isRecord(answer)) throw new Error(`the answer to ${action} is not an object`)
  const {status, retcode, data} = answer
  if (status === "ok" || status === "async") return data
  const code = Number(retcode)
  if (code === 1401 || code === 1403) throw wrongToken()
  const words = [answer.wording, answer.message, answer.msg].find(each => typeof each === "string" && each !== "")
  const told = `${action} failed with ${code}${words === undefined ? "" : `: ${String(words).slice(0, 200)}`}`
  if (code === 1404)
    throw refused(told, {
      passing: true,
      reason: "unsupported",
      remediation: "The implementation does not have this action.",
    })
  if (code === 1400 || code === 100)
    throw refused(told, {
      passing: true,
      reason: "rejected",
      remediation: "Check the channel and the content of the message.",
    })
  throw new Error(told)
}

/** Returns the number of a channel or a user for the API. Throws a refusal for any other text. */
export const numberOf = (id: unknown): number => {
  const number =
    typeof id === "number" ? id : typeof id === "string" && /^-?\d{1,16}$/.test(id) ? Number(id) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw refused(`"${String(id).slice(0, 100)}" is not a OneBot id`, {
    reason: "target_invalid",
    remediation: "Ids are numbers; a private channel is private:<user>.",
  })
}

export interface Target {
  readonly message_type: "group" | "private"
  readonly group_id?: number
  readonly user_id?: number
}

/** Returns the parameters of `send_msg` for a channel. */
export const targetOf = (channel: string): Target =>
  channel.startsWith("private:")
    ? {message_type: "private", user_id: numberOf(channel.slice("private:".length))}
    : {message_type: "group", group_id: numberOf(channel)}

export const directChannel = (user: unknown): string => `private:${user}`
