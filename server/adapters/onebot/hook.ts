import {createHash} from "node:crypto"
import {type HmacScheme, Problem, parseJson, type Verifier} from "../../../shared/sdk/sdk.ts"
import {isRecord} from "./api.ts"

/** How an implementation signs what it posts (OneBot v11, "communication/http-post"). */
export const scheme: HmacScheme = {by: "hmac", header: "x-signature", algorithm: "sha1", prefix: "sha1="}

/** Nobody posts an older event, except from a recording. In milliseconds: longer than the Host's clock may be wrong. */
const oldest = 86_400_000

/**
 * Handles events that the implementation posts. Returns 204 once `take` has resolved. The signature has no time, so a
 * recorded post is recognized by its body, and refused when the time in it is a day ago.
 */
export const createHook =
  (
    verifier: Verifier | undefined,
    take: (payload: Readonly<Record<string, unknown>>, id: string) => Promise<void>,
    now: () => number = Date.now,
  ) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== "POST")
      throw new Problem("method_not_allowed", "events must be sent by POST", {hint: "Use POST."})
    const body = Buffer.from(await request.arrayBuffer())
    if (verifier === undefined) throw new Problem("signature_invalid", "the account of this endpoint has no secret")
    verifier.verify(request.headers, body)
    const payload = parse(body.toString("utf8"))
    const {time} = payload
    if (typeof time === "number" && time > 0 && time * 1000 < now() - oldest)
      throw new Problem("request_invalid", "the event's time is more than a day ago")
    await take(payload, createHash("sha256").update(body).digest("hex"))
    return new Response(null, {status: 204})
  }

const parse = (text: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(text)
  if (isRecord(value)) return value
  throw new Problem("request_invalid", "the body is not a JSON object")
}
