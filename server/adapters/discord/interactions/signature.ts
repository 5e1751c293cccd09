import {createPublicKey, type KeyObject, verify} from "node:crypto"
import {Problem} from "../../../../shared/sdk/sdk.ts"

/** How many seconds a signature is valid, before and after its time. */
const window = 300

/** The public key of an application, as the portal shows it: 32 bytes in hexadecimal. */
export const readPublicKey = (hex: string): KeyObject =>
  createPublicKey({
    key: {kty: "OKP", crv: "Ed25519", x: Buffer.from(hex, "hex").toString("base64url")},
    format: "jwk",
  })

/** Whether this is the signature of these bytes (Ed25519, RFC 8032), in hexadecimal. */
export const isSignedBy = (key: KeyObject, message: Uint8Array, signature: string): boolean =>
  /^[0-9A-Fa-f]{128}$/.test(signature) && verify(null, message, key, Buffer.from(signature, "hex"))

/** Verifies Discord's signature of the time and the body, byte for byte. Throws `signature_invalid`. */
export const requireSigned = (key: KeyObject, headers: Headers, body: Uint8Array, now = Date.now()): void => {
  const [signature, timestamp] = [headers.get("x-signature-ed25519"), headers.get("x-signature-timestamp")]
  if (signature === null || timestamp === null)
    throw new Problem("signature_invalid", "x-signature-ed25519 and x-signature-timestamp are missing")
  if (!isSignedBy(key, Buffer.concat([Buffer.from(timestamp), body]), signature))
    throw new Problem("signature_invalid", "the signature does not match this body and this application's key")
  const age = now / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > window)
    throw new Problem(
      "signature_invalid",
      `x-signature-timestamp is more than five minutes ${age > 0 ? "old" : "ahead"}`,
    )
}
