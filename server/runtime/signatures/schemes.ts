import {Problem} from "../../../shared/problems.ts"
import type {HmacScheme} from "../../../shared/sdk/adapter/verify.ts"
import type {Algorithm, Encoding} from "./hmac.ts"

/** What the headers of a signed request show. */
export interface Shown {
  readonly signatures: readonly string[]
  /** Seconds since 1970. */
  readonly timestamp?: string
  /** Signed with the body. */
  readonly id?: string
}

/** How signatures by HMAC stand in headers, and what they sign. */
export interface Scheme {
  readonly algorithm: Algorithm
  readonly encoding: Encoding
  /** Throws `signature_invalid` if a header is missing, is there twice, or has another form. */
  read(headers: Headers): Shown
  /** Returns the text that is signed before the body. */
  before(shown: Omit<Shown, "signatures">): string
  /** Returns the headers that `read` reads. */
  write(signature: string, timestamp: string, id: string): Readonly<Record<string, string>>
}

/** The shapes exclude two headers of one name, which arrive joined by a comma, and numbers with a tail. */
const shapes = {
  timestamp: /^[1-9]\d{0,11}$/,
  // An id in which a part of the body could hide is refused, because `id.timestamp.body` is signed.
  id: /^[\w.~:=+/@-]{1,200}$/,
  standard: /^v\d[a-z]?,[A-Za-z0-9+/=_-]+( v\d[a-z]?,[A-Za-z0-9+/=_-]+){0,15}$/,
  stripe: /^t=[1-9]\d{0,11}(,v\d=[0-9a-f]+){1,16}$/,
} as const

export const readHeader = (headers: Headers, name: string, shape?: RegExp): string => {
  const value = headers.get(name)
  if (value === null) throw new Problem("signature_invalid", `${name} is missing`)
  if (shape?.test(value) === false)
    throw new Problem("signature_invalid", `${name} does not have the form of this scheme`)
  return value
}

/** Any header, with the signature alone or behind a prefix. */
export const ownScheme = ({
  header,
  algorithm = "sha256",
  encoding = "hex",
  prefix = "",
  timestamp,
  before = timestamp === undefined ? "" : "{timestamp}.",
}: Omit<HmacScheme, "by">): Scheme => ({
  algorithm,
  encoding,
  read: headers => {
    const value = readHeader(headers, header)
    const signature = value.startsWith(prefix) ? value.slice(prefix.length) : ""
    return {
      signatures: [encoding === "hex" ? signature.toLowerCase() : signature],
      ...(timestamp === undefined ? {} : {timestamp: readHeader(headers, timestamp, shapes.timestamp)}),
    }
  },
  before: ({timestamp: time = ""}) => before.replaceAll("{timestamp}", time),
  write: (signature, time) => ({
    [header]: `${prefix}${signature}`,
    ...(timestamp === undefined ? {} : {[timestamp]: time}),
  }),
})

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export const github = ownScheme({header: "x-hub-signature-256", prefix: "sha256="})

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack = ownScheme({
  header: "x-slack-signature",
  prefix: "v0=",
  timestamp: "x-slack-request-timestamp",
  before: "v0:{timestamp}:",
})

/** https://docs.stripe.com/webhooks/signature: the header has the time, and a signature for each secret. */
export const stripe: Scheme = {
  algorithm: "sha256",
  encoding: "hex",
  read: headers => {
    const [time = "", ...signatures] = readHeader(headers, "stripe-signature", shapes.stripe).split(",")
    return {
      timestamp: time.slice("t=".length),
      signatures: signatures.flatMap(each => (each.startsWith("v1=") ? [each.slice("v1=".length)] : [])),
    }
  },
  before: ({timestamp}) => `${timestamp}.`,
  write: (signature, timestamp) => ({"stripe-signature": `t=${timestamp},v1=${signature}`}),
}

/** https://www.standardwebhooks.com, with symmetric signatures. */
export const standard: Scheme = {
  algorithm: "sha256",
  encoding: "base64",
  read: headers => ({
    id: readHeader(headers, "webhook-id", shapes.id),
    timestamp: readHeader(headers, "webhook-timestamp", shapes.timestamp),
    signatures: readHeader(headers, "webhook-signature", shapes.standard)
      .split(" ")
      .flatMap(each => (each.startsWith("v1,") ? [each.slice("v1,".length)] : [])),
  }),
  before: ({id, timestamp}) => `${id}.${timestamp}.`,
  write: (signature, timestamp, id) => ({
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  }),
}
