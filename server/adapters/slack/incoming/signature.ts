import {createHmac, timingSafeEqual} from "node:crypto"
import {Problem} from "../../../../shared/sdk/sdk.ts"

/** How long a signature is valid, in seconds (https://docs.slack.dev/authentication/verifying-requests-from-slack). */
const window = 300

/**
 * Throws `signature_invalid` unless the app's secret signed these bytes within the last five minutes. `now` is in
 * milliseconds since 1970.
 */
export const requireSignature = (secret: string, headers: Headers, body: Uint8Array, now = Date.now()): void => {
  const timestamp = headers.get("x-slack-request-timestamp") ?? ""
  const shown = Buffer.from(headers.get("x-slack-signature") ?? "")
  if (!/^[1-9]\d{0,11}$/.test(timestamp)) throw invalid("x-slack-request-timestamp is missing or is not a time")
  if (Math.abs(now / 1000 - Number(timestamp)) > window)
    throw invalid("x-slack-request-timestamp is more than five minutes off: check the clock of the Host")
  const made = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")
  const expected = Buffer.from(`v0=${made}`)
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected))
    throw invalid("x-slack-signature does not match this body and the signingSecret of this endpoint")
}

const invalid = (why: string): Problem => new Problem("signature_invalid", why)
