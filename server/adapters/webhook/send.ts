import {
  type Answered,
  type Endpoint,
  lower,
  refused,
  renderContent,
  retryAfter,
  type Sender,
  textOf,
  type Verifier,
} from "../../../shared/sdk/sdk.ts"
import {ownTypes} from "./event.ts"

/** Statuses below 500 for which a retry may succeed (RFC 9110, RFC 8470, RFC 6585). */
const passing: readonly number[] = [408, 425, 429]

/** Posts messages and reactions to the partner. `webhook-id` is the outbox id: the same for every attempt. */
export const createSend = (
  url: string | undefined,
  verifier: Pick<Verifier, "sign">,
  endpoint: Pick<Endpoint, "post">,
): Sender & Required<Pick<Sender, "react">> => {
  const post = async (id: string, body: object, signal: AbortSignal): Promise<void> => {
    if (url === undefined) {
      throw refused("the account has no url to post to", {
        reason: "unsupported",
        remediation: "Set url in the account, or send to another endpoint.",
      })
    }
    const text = JSON.stringify(body)
    const headers = {"content-type": "application/json", ...verifier.sign(id, text)}
    const answered = await endpoint.post(url, {headers, body: text, signal}).catch(explain)
    if (!answered.ok) throw failureOf(answered)
  }
  return {
    send: async ({id, channel, content}, signal) => {
      const shown = renderContent(lower(content, {has: ["p", "br", "message", "pre"]}))
      await post(id, {type: `${ownTypes}message`, channel, text: textOf(content), content: shown}, signal)
      return {ids: [id]}
    },
    react: async ({id, channel, message, emoji}, signal) =>
      post(id, {type: `${ownTypes}reaction`, channel, message, emoji}, signal),
  }
}

const failureOf = ({status, headers}: Answered): Error => {
  const wait = headers.get("retry-after")
  if (wait !== null && (status === 429 || status === 503)) return retryAfter(wait, `the receiver answered ${status}`)
  if (status >= 500 || passing.includes(status)) return new Error(`the receiver answered ${status}`)
  if (status >= 300 && status < 400) {
    return refused(`the receiver answered ${status}: svc does not follow redirects`, {
      reason: "redirected",
      remediation: "Set url to the final address.",
    })
  }
  return refused(`the receiver answered ${status}`, {
    reason: "rejected",
    remediation: "Check the receiver: it received the message and rejected it.",
  })
}

/** `fetch failed` has no details; its cause does. */
const explain = (error: unknown): never => {
  const cause = error instanceof Error ? error.cause : undefined
  throw cause instanceof Error ? new Error(`could not reach the receiver: ${cause.message}`, {cause: error}) : error
}
