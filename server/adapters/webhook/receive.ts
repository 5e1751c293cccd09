import {type DatedIncoming, type Endpoint, Problem, type Verifier} from "../../../shared/sdk/sdk.ts"
import {toIncoming} from "./event.ts"

/** Verifies one delivery, stores it, and only then acknowledges it. A repeated `webhook-id` is acknowledged and stored once. */
export const receive = async (
  request: Request,
  verifier: Verifier,
  endpoint: Endpoint<DatedIncoming>,
): Promise<Response> => {
  if (request.method !== "POST") return onlyPost()
  const {headers} = request
  const bytes = new Uint8Array(await request.arrayBuffer())
  verifier.verify(headers, bytes)
  const [id, timestamp] = [headers.get("webhook-id") ?? "", Number(headers.get("webhook-timestamp"))]
  if (!/^application\/(.+\+)?json\b/i.test(headers.get("content-type") ?? ""))
    throw new Problem("unsupported_media_type", "the body must be sent as application/json")
  const {duplicate} = await endpoint.receive(toIncoming(id, timestamp * 1000, decodeBody(bytes)))
  return answer(202, {id, duplicate})
}

const decoder = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true})

const decodeBody = (bytes: Uint8Array): string => {
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
