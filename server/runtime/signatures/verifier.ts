import {hash, timingSafeEqual} from "node:crypto"
import {Problem} from "../../../shared/problems.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {Verifier, Verify} from "../../../shared/sdk/adapter/verify.ts"
import type {Secret} from "../../../shared/secret.ts"
import {createHmacOf} from "./hmac.ts"
import {github, ownScheme, readHeader, type Scheme, slack, standard, stripe} from "./schemes.ts"

/** How far the time of a signature may be off, in seconds. */
const window = 300

/** Returns the verifier of a scheme. `now` is in milliseconds since 1970. Throws a refusal for an unusable secret. */
export const createVerifier = (verify: Verify, now: () => number = Date.now): Verifier => {
  const secrets = [verify.secret].flat().map((secret, index) => readSecret(secret, index))
  const texts = secrets.map(text => Buffer.from(text))
  switch (verify.by) {
    case "bearer":
      return byToken("authorization", "Bearer ", secrets)
    case "gitlab":
      return byGitlab(secrets, now)
    case "standard":
      return byHmac(standard, secrets.map(keyOf), now)
    case "github":
      return byHmac(github, texts, now)
    case "slack":
      return byHmac(slack, texts, now)
    case "stripe":
      return byHmac(stripe, texts, now)
    case "hmac":
      return byHmac(ownScheme(verify), texts, now)
  }
}

/** The signing token of GitLab follows Standard Webhooks; its older secret token is sent as it is. */
const byGitlab = (secrets: readonly string[], now: () => number): Verifier => {
  const each = secrets.map((secret, index) =>
    secret.startsWith("whsec_")
      ? byHmac(standard, [keyOf(secret, index)], now)
      : byToken("x-gitlab-token", "", [secret]),
  )
  return anyOf(each)
}

const anyOf = (verifiers: readonly Verifier[]): Verifier => ({
  verify: (headers, body) => {
    const failures = verifiers.map(({verify}) => failureOf(() => verify(headers, body)))
    if (!failures.includes(undefined)) throw failures[0]
  },
  sign: (id, body) => verifiers[0]?.sign(id, body) ?? {},
})

const failureOf = (work: () => void): unknown => {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

const byToken = (header: string, prefix: string, secrets: readonly string[]): Verifier => {
  const digests = secrets.map(secret => hash("sha256", `${prefix}${secret}`, "buffer"))
  return {
    verify: headers => {
      const shown = readHeader(headers, header)
      // The name of an authentication scheme has no case (RFC 9110, 11.1).
      const digest = hash("sha256", prefix === "" ? shown : shown.replace(/^bearer /i, prefix), "buffer")
      requireOne(digests.filter(each => timingSafeEqual(each, digest)).length > 0)
    },
    sign: () => ({[header]: `${prefix}${secrets[0]}`}),
  }
}

const byHmac = (scheme: Scheme, keys: readonly Uint8Array[], now: () => number): Verifier => {
  const hmacs = keys.map(key => createHmacOf(scheme.algorithm, scheme.encoding, key))
  return {
    verify: (headers, body) => {
      const shown = scheme.read(headers)
      requireRecent(Number(shown.timestamp ?? Number.NaN), now())
      const before = scheme.before(shown)
      const signatures = shown.signatures.map(text => Buffer.from(text))
      const fits = (made: Uint8Array) =>
        signatures.filter(given => given.length === made.length && timingSafeEqual(given, made)).length > 0
      requireOne(hmacs.filter(hmac => fits(Buffer.from(hmac(before, body)))).length > 0)
    },
    sign: (id, body) => {
      const timestamp = String(Math.floor(now() / 1000))
      const made = hmacs[0]?.(scheme.before({id, timestamp}), Buffer.from(body))
      return scheme.write(made ?? "", timestamp, id)
    },
  }
}

/** A scheme without a time has NaN, which is never off. */
const requireRecent = (timestamp: number, now: number): void => {
  const off = Math.floor(now / 1000) - timestamp
  if (Math.abs(off) > window)
    throw new Problem(
      "signature_invalid",
      `the time of the signature is more than five minutes ${off > 0 ? "old" : "ahead"}: check the clock of the Host`,
    )
}

const requireOne = (fits: boolean): void => {
  if (!fits) throw new Problem("signature_invalid", "no signature matches this body and a secret of this endpoint")
}

const readSecret = (secret: Secret, index: number): string => {
  const text = secret.reveal()
  if (text !== "") return text
  throw refused(`secret ${index + 1} is empty`, {
    reason: "secret_invalid",
    remediation: "Set the variable to the secret that the sender has, then run svc runtime reload.",
  })
}

const keyOf = (secret: string, index: number): Uint8Array => {
  const text = secret.replace(/^whsec_/, "")
  const key = Buffer.from(text, "base64")
  if (isBase64(text) && key.length >= 24 && key.length <= 64) return key
  throw refused(`secret ${index + 1} is not base64 of 24 to 64 bytes`, {
    reason: "secret_invalid",
    remediation:
      "Set the variable to the secret that the other side shows (whsec_…), or to a new one: whsec_ and the output of openssl rand -base64 32.",
  })
}

const isBase64 = (text: string) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
