import type {Secret} from "../../secret.ts"

/** A signature by HMAC over the bytes of the body. */
export interface HmacScheme {
  readonly by: "hmac"
  /** The header with the signature, such as `x-signature`. */
  readonly header: string
  /** `sha256` when left out. */
  readonly algorithm?: "sha1" | "sha256" | "sha512"
  /** `hex` when left out. */
  readonly encoding?: "hex" | "base64"
  /** What stands before the signature in its header, such as `sha256=`. */
  readonly prefix?: string
  /** The header with the time of the signature, in seconds since 1970. It may be five minutes off. */
  readonly timestamp?: string
  /**
   * What stands before the body in the signed text, with `{timestamp}` for the time. With a timestamp, `{timestamp}.`
   * when left out; nothing otherwise.
   */
  readonly before?: string
}

/**
 * How senders of webhooks prove who they are. `bearer` is a token in `Authorization`; `gitlab` is its secret token, or
 * with a secret that starts with `whsec_` its signing token; `standard` is Standard Webhooks. With several secrets, any
 * of them is accepted: for the time of a change.
 */
export type Verify = {readonly secret: Secret | readonly Secret[]} & (
  | {readonly by: "bearer" | "github" | "gitlab" | "slack" | "standard" | "stripe"}
  | HmacScheme
)

/** Verifies and makes signatures of webhooks. */
export interface Verifier {
  /**
   * Throws `signature_invalid` unless one of the secrets signed these bytes, within the last five minutes if the scheme
   * has a time. Compares in constant time.
   */
  verify(headers: Headers, body: Uint8Array): void
  /** Returns the headers that sign a body now, with the first secret. Some schemes sign the id too. */
  sign(id: string, body: string): Readonly<Record<string, string>>
}
