import {createHash, createHmac, timingSafeEqual} from "node:crypto"
import {Problem, parseJson} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {isRecord} from "./api.ts"

/** Returns the header `X-Signature` for a body (OneBot v11, "communication/http-post"). */
export const signatureOf = (secret: string, body: Uint8Array): string =>
  `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`

/** Nobody posts an older event, except from a recording. In milliseconds: longer than the Host's clock may be wrong. */
const oldest = 86_400_000

/**
 * Handles events that the implementation posts. Returns 204 once `take` has resolved. The signature has no time, so a
 * recorded post is recognized by its body, and refused when the time in it is a day ago.
 */
export const createHook =
  (
    {secret}: AccountSettings,
    take: (payload: Readonly<Record<string, unknown>>, id: string) => Promise<void>,
    now: () => number = Date.now,
  ) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== "POST")
      throw new Problem("method_not_allowed", "events must be sent by POST", {hint: "Use POST."})
    const body = Buffer.from(await request.arrayBuffer())
    const expected = Buffer.from(secret === undefined ? "" : signatureOf(secret.reveal(), body))
    const shown = Buffer.from(request.headers.get("x-signature") ?? "")
    if (secret === undefined || shown.length !== expected.length || !timingSafeEqual(shown, expected))
      throw new Problem("signature_invalid", "X-Signature does not match the account's secret")
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
