import type {WebhookTarget} from "../../../shared/config/alerts.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Answered, Post} from "../../../shared/sdk/adapter/post.ts"
import {createVerifier} from "../../runtime/signatures/verifier.ts"

export type PostTo = (url: string, post: Post) => Promise<Answered>

/** Posts JSON, signed by Standard Webhooks with a secret. Throws why it was not accepted, without the address. */
export const postAlert = async (
  post: PostTo,
  {url, headers = {}, secret}: WebhookTarget,
  {id, body}: {readonly id: string; readonly body: string},
  signal: AbortSignal,
): Promise<void> => {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const signed = secret === undefined ? {} : createVerifier({by: "standard", secret}).sign(id, body)
  const sent = {"content-type": "application/json", ...own, "webhook-id": id, ...signed}
  const answered = await post(url, {headers: sent, body, signal}).catch((cause: unknown) => {
    throw new Error(reachFailure(cause, signal), {cause})
  })
  if (!answered.ok) throw new Error(statusFailure(answered.status))
}

export const statusFailure = (status: number): string =>
  status >= 300 && status < 400
    ? `the receiver answered ${status}: the Host follows no redirects; set url to the final address`
    : `the receiver answered ${status}`

/** The runtime's own message may contain the address, which may be a secret. */
export const reachFailure = (cause: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return "the receiver did not answer in time"
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : undefined
  return `the receiver is unreachable${code === undefined ? `: ${messageOf(inner).split(/https?:/, 1)[0]}` : ` (${code})`}`
}
