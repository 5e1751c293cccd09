import {createHmac, createSecretKey, type KeyObject, timingSafeEqual} from "node:crypto"
import {Problem, refused, type Secret} from "../../../shared/sdk/sdk.ts"

/** The three headers of Standard Webhooks. */
export interface SignedHeaders {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly signature: string
}

export interface Signatures {
  /** Throws `signature_invalid` unless one of the secrets signed these bytes within the last five minutes. */
  verify(headers: Headers, text: string): SignedHeaders
  /** The headers of one delivery, signed now with the first secret. */
  sign(id: string, text: string): Readonly<Record<string, string>>
}

/**
 * What the library takes as well, and must not be: two headers of one name (joined by a comma), numbers with a tail, and
 * identifiers in which a part of the body could hide, since it is signed as `id.timestamp.body`.
 */
const shapes = {
  id: /^[\w.~:=+/@-]{1,200}$/,
  timestamp: /^[1-9]\d{0,11}$/,
  signature: /^v\d[a-z]?,[A-Za-z0-9+/=_-]+( v\d[a-z]?,[A-Za-z0-9+/=_-]+){0,15}$/,
}

/** Reads the secrets. Throws a refusal for one that is none. */
export const openSignatures = async (secrets: readonly Secret[]): Promise<Signatures> => {
  const {Webhook} = await import("standardwebhooks").then(module =>
    "default" in module ? (module.default as typeof module) : module,
  )
  const keys = secrets.map((secret, index) => {
    const value = secret.reveal().replace(/^whsec_/, "")
    const size = isBase64(value) ? Buffer.from(value, "base64").length : 0
    if (size >= 24 && size <= 64)
      return {library: new Webhook(value), object: createSecretKey(Buffer.from(value, "base64"))}
    throw refused(`secrets[${index}] is not base64 of 24 to 64 bytes`, {
      reason: "secret_invalid",
      remediation:
        "Put the secret that the other side shows (whsec_…) into the variable, or one of your own: whsec_ and the output of openssl rand -base64 32.",
    })
  })
  return {
    verify: (headers, text) => {
      const signed = readHeaders(headers)
      if (isTimely(signed) && keys.some(({object}) => isSigned(object, signed, text))) return signed
      const failures = keys.map(({library}) => failureOf(() => library.verify(text, signed.named, {jsonParse: false})))
      if (failures.every(failure => failure !== undefined)) throw new Problem("signature_invalid", explain(failures[0]))
      return signed
    },
    sign: (id, text) => {
      const now = new Date()
      return {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": keys[0]?.library.sign(id, now, text) ?? "",
      }
    },
  }
}

/** The library's window, in seconds. */
const window = 300

const isTimely = ({timestamp}: SignedHeaders) => Math.abs(Math.floor(Date.now() / 1000) - timestamp) <= window

/** As the library finds it, in a tenth of the time: its HMAC is plain JavaScript. */
const isSigned = (key: KeyObject, {id, timestamp, signature}: SignedHeaders, text: string): boolean => {
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64")}`)
  return signature.split(" ").some(each => {
    const shown = Buffer.from(each)
    return shown.length === expected.length && timingSafeEqual(shown, expected)
  })
}

const isBase64 = (text: string) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)

const readHeaders = (headers: Headers) => {
  const read = (name: keyof typeof shapes): string => {
    const value = headers.get(`webhook-${name}`)
    if (value === null) throw new Problem("signature_invalid", `webhook-${name} is missing`)
    if (!shapes[name].test(value))
      throw new Problem("signature_invalid", `webhook-${name} is not as Standard Webhooks has it`)
    return value
  }
  const [id, timestamp, signature] = [read("id"), read("timestamp"), read("signature")]
  const named = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
  return {id, timestamp: Number(timestamp), signature, named}
}

const failureOf = (verify: () => unknown): string | undefined => {
  try {
    verify()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ""
  }
}

const explain = (failure: string | undefined): string => {
  if (failure?.includes("too old")) return "webhook-timestamp is more than five minutes old"
  if (failure?.includes("too new")) return "webhook-timestamp is more than five minutes ahead"
  return "none of the signatures was made with a secret of this endpoint over these bytes"
}
