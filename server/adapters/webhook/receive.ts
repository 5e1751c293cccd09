import {type DatedIncoming, type Endpoint, Problem} from "../../../shared/sdk/sdk.ts"
import {toIncoming} from "./event.ts"
import type {Signatures} from "./signatures.ts"

/** Verifies one delivery, stores it, and only then acknowledges it. A repeated `webhook-id` is acknowledged and stored once. */
export const receive = async (
  request: Request,
  signatures: Signatures,
  endpoint: Endpoint<DatedIncoming>,
): Promise<Response> => {
  if (request.method !== "POST") return onlyPost()
  const text = decodeBody(await request.arrayBuffer())
  const {id, timestamp} = signatures.verify(request.headers, text)
  if (!/^application\/(.+\+)?json\b/i.test(request.headers.get("content-type") ?? ""))
    throw new Problem("unsupported_media_type", "the body must be sent as application/json")
  const {duplicate} = await endpoint.receive(toIncoming(id, timestamp * 1000, text))
  return answer(202, {id, duplicate})
}

const decoder = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true})

/** The library signs text, which equals the bytes only if they are UTF-8. */
const decodeBody = (bytes: ArrayBuffer): string => {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new Problem("request_invalid", "the body is not UTF-8", {cause})
  }
}

const onlyPost = (): Response => {
  const problem = new Problem("method_not_allowed", "webhooks must be sent by POST", {hint: "Use POST."})
  return answer(problem.status, problem.body(), {allow: "POST", "content-type": "application/problem+json"})
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: {"content-type": "application/json", "cache-control": "no-store", ...headers},
  })
