import {Problem, refused, type Secret} from "../../../shared/sdk/sdk.ts"
import {createHmacSha256} from "./hmac.ts"

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
  /** Returns the headers of one delivery, signed now with the first secret. */
  sign(id: string, text: string): Readonly<Record<string, string>>
}

/**
 * Shapes that are stricter than the library's checks. They exclude two headers of one name (joined by a comma), numbers
 * with a tail, and ids in which a part of the body could hide, because `id.timestamp.body` is signed.
 */
const shapes = {
  id: /^[\w.~:=+/@-]{1,200}$/,
  timestamp: /^[1-9]\d{0,11}$/,
  signature: /^v\d[a-z]?,[A-Za-z0-9+/=_-]+( v\d[a-z]?,[A-Za-z0-9+/=_-]+){0,15}$/,
}

/** Reads the secrets. Throws a refusal for an invalid one. */
export const openSignatures = async (secrets: readonly Secret[]): Promise<Signatures> => {
  const {Webhook} = await import("standardwebhooks").then(module =>
    "default" in module ? (module.default as typeof module) : module,
  )
  /** The library's checks with the runtime's HMAC, because its own, in JavaScript, is 3 to 4 times slower. */
  class FastWebhook extends Webhook {
    readonly #hmac: (text: string) => string

    constructor(value: string) {
      super(value)
      this.#hmac = createHmacSha256(Buffer.from(value, "base64"))
    }

    override sign(id: string, timestamp: Date, text: string | Buffer): string {
      return `v1,${this.#hmac(`${id}.${Math.floor(timestamp.getTime() / 1000)}.${text}`)}`
    }
  }
  const keys = secrets.map((secret, index) => {
    const value = secret.reveal().replace(/^whsec_/, "")
    const size = isBase64(value) ? Buffer.from(value, "base64").length : 0
    if (size >= 24 && size <= 64) return new FastWebhook(value)
    throw refused(`secrets[${index}] is not base64 of 24 to 64 bytes`, {
      reason: "secret_invalid",
      remediation:
        "Set the variable to the secret that the other side shows (whsec_…), or to a new one: whsec_ and the output of openssl rand -base64 32.",
    })
  })
  return {
    verify: (headers, text) => {
      const signed = readHeaders(headers)
      const failures = keys.map(key => failureOf(() => key.verify(text, signed.named, {jsonParse: false})))
      if (failures.every(failure => failure !== undefined)) throw new Problem("signature_invalid", explain(failures[0]))
      return signed
    },
    sign: (id, text) => {
      const now = new Date()
      return {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": keys[0]?.sign(id, now, text) ?? "",
      }
    },
  }
}

const isBase64 = (text: string) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)

const readHeaders = (headers: Headers) => {
  const read = (name: keyof typeof shapes): string => {
    const value = headers.get(`webhook-${name}`)
    if (value === null) throw new Problem("signature_invalid", `webhook-${name} is missing`)
    if (!shapes[name].test(value))
      throw new Problem("signature_invalid", `webhook-${name} does not follow Standard Webhooks`)
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
  return "no signature matches this body and a secret of this endpoint"
}
