import {createHmac} from "node:crypto"
import {Webhook} from "standardwebhooks"
import {describe, expect, test} from "vitest"
import {createHmacOf} from "../../../server/runtime/signatures/hmac.ts"
import {createVerifier} from "../../../server/runtime/signatures/verifier.ts"
import type {Verify} from "../../../shared/sdk/adapter/verify.ts"
import {Secret} from "../../../shared/secret.ts"
import {secretOf, signatureOf} from "../../support/webhooks/webhooks.ts"

type Scheme = Verify extends infer V ? (V extends unknown ? Omit<V, "secret"> : never) : never

interface Published {
  readonly scheme: Scheme
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Seconds since 1970. */
  readonly at?: number
}

/** The vectors that standards and platforms publish. */
const published = {
  // https://github.com/standard-webhooks/standard-webhooks
  standard: {
    scheme: {by: "standard"},
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    body: '{"test": 2432232314}',
    at: 1614265330,
  },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    scheme: {by: "github"},
    secret: "It's a Secret to Everybody",
    headers: {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
    body: "Hello, World!",
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    scheme: {by: "slack"},
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    at: 1531420618,
  },
  // RFC 2202, section 3, test case 2, in the header of OneBot v11.
  hmac: {
    scheme: {by: "hmac", header: "x-signature", algorithm: "sha1", prefix: "sha1="},
    secret: "Jefe",
    headers: {"x-signature": "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
    body: "what do ya want for nothing?",
  },
} as const satisfies Record<string, Published>

/** Made with Node's own HMAC: these platforms publish how they sign, but no vector. */
const sign = (key: string | Buffer, text: string, encoding: "hex" | "base64") =>
  createHmac("sha256", key).update(text).digest(encoding)
const gitlab = secretOf("gitlab")
const made = {
  stripe: {
    scheme: {by: "stripe"},
    secret: "whsec_stripe",
    headers: {"stripe-signature": `t=1700000000,v0=ab,v1=00,v1=${sign("whsec_stripe", "1700000000.{}", "hex")}`},
    body: "{}",
    at: 1_700_000_000,
  },
  "gitlab's signing token": {
    scheme: {by: "gitlab"},
    secret: gitlab,
    headers: {
      "webhook-id": "1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": signatureOf("{}", "1", 1_700_000_000, gitlab),
    },
    body: "{}",
    at: 1_700_000_000,
  },
  "hmac with a time": {
    scheme: {by: "hmac", header: "x-mac", encoding: "base64", timestamp: "x-time"},
    secret: "key",
    headers: {"x-mac": sign("key", "1700000000.ü", "base64"), "x-time": "1700000000"},
    body: "ü",
    at: 1_700_000_000,
  },
} as const satisfies Record<string, Published>

const tokens = {
  "gitlab's secret token": {scheme: {by: "gitlab"}, secret: "s3cret", headers: {"x-gitlab-token": "s3cret"}, body: ""},
  bearer: {scheme: {by: "bearer"}, secret: "s3cret", headers: {authorization: "bearer s3cret"}, body: ""},
} as const satisfies Record<string, Published>

const signed: readonly (readonly [string, Published])[] = Object.entries({...published, ...made})
const all: readonly (readonly [string, Published])[] = [...signed, ...Object.entries(tokens)]
const timed = signed.filter(([, {at}]) => at !== undefined)

const verifierOf = ({scheme, at}: Published, secrets: readonly string[], off = 0) =>
  createVerifier({...scheme, secret: secrets.map(text => new Secret(text))} as Verify, () => ((at ?? 0) + off) * 1000)

const verify = (
  vector: Published,
  {headers = {}, body = vector.body, off = 0, secrets = [vector.secret]}: Change = {},
) => verifierOf(vector, secrets, off).verify(new Headers({...vector.headers, ...headers}), Buffer.from(body))

interface Change {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly off?: number
  readonly secrets?: readonly string[]
}

const refusal = expect.objectContaining({code: "signature_invalid"})
const stranger = secretOf("stranger")

test.each(all)("%s is accepted, with its secret among others", (_, vector) => {
  expect(verify(vector)).toBeUndefined()
  expect(verify(vector, {secrets: [stranger, vector.secret]})).toBeUndefined()
})

test.each(all)("%s is refused with another secret, and without or with two of a header", (_, vector) => {
  expect(() => verify(vector, {secrets: [stranger]})).toThrow(refusal)
  for (const [name, value] of Object.entries(vector.headers)) {
    const {[name]: __, ...others} = vector.headers
    expect(() => verify({...vector, headers: others})).toThrow(refusal)
    for (const wrong of ["", `${value}, ${value}`, value.slice(0, -1), `${value} x`])
      expect(() => verify(vector, {headers: {[name]: wrong}})).toThrow(refusal)
  }
})

test.each(signed)("%s is refused over another body", (_, vector) => {
  expect(() => verify(vector, {body: `${vector.body} `})).toThrow(refusal)
  expect(() => verify(vector, {headers: {"x-hub-signature-256": "sha256="}, body: ""})).toThrow(refusal)
})

test.each(timed)("%s is accepted for five minutes before and after its time, and no second longer", (_, vector) => {
  for (const off of [300, -300]) expect(verify(vector, {off})).toBeUndefined()
  for (const off of [301, -301]) expect(() => verify(vector, {off})).toThrow(refusal)
  for (const [name, value] of Object.entries(vector.headers).filter(([name]) => /time/.test(name)))
    for (const wrong of [String(Number(value) + 1), `${value}.5`, `0${value}`])
      expect(() => verify(vector, {headers: {[name]: wrong}})).toThrow(refusal)
})

test.each(all)("%s is made as it is verified, by the first secret", (_, vector) => {
  const headers = verifierOf(vector, [vector.secret, stranger]).sign(vector.headers["webhook-id"] ?? "", vector.body)
  expect(verify({...vector, headers})).toBeUndefined()
  if (vector.scheme.by !== "stripe" && vector.scheme.by !== "bearer") expect(headers).toEqual(vector.headers)
})

describe("a signature of Standard Webhooks", () => {
  const {standard} = published
  const {"webhook-signature": signature} = standard.headers

  test("is the library's own", () => {
    const now = Math.floor(Date.now() / 1000)
    const headers = verifierOf({...standard, at: now}, [standard.secret]).sign("msg_1", '{"a": "ü"}')
    expect(new Webhook(standard.secret).verify('{"a": "ü"}', {...headers})).toEqual({a: "ü"})
  })

  test("is accepted among several of one header", () => {
    const several = `v1a,abc= ${signatureOf(standard.body, "m", standard.at, stranger)} ${signature}`
    expect(verify(standard, {headers: {"webhook-signature": several}})).toBeUndefined()
  })

  test.each([signature.replace("v1,", "v1a,"), signature.slice("v1,".length)])("is refused without v1: %s", wrong => {
    expect(() => verify(standard, {headers: {"webhook-signature": wrong}})).toThrow(refusal)
  })

  test("is refused for another id", () => {
    expect(() => verify(standard, {headers: {"webhook-id": "msg_other"}})).toThrow(refusal)
  })

  test.each(["", "whsec_", "whsec_not base64!", "whsec_c2hvcnQ=", `whsec_${"A".repeat(100)}`])(
    "needs a secret of 24 to 64 bytes in base64: %j is refused, and not shown",
    secret => {
      const open = () => verifierOf(standard, [standard.secret, secret])
      expect(open).toThrow(expect.objectContaining({reason: "secret_invalid"}))
      if (secret !== "") expect(open).not.toThrow(secret)
    },
  )
})

test.each(all)("%s needs a secret that is not empty", (_, vector) => {
  expect(() => verifierOf(vector, [vector.secret, ""])).toThrow(expect.objectContaining({reason: "secret_invalid"}))
})

const texts = ["", "a", "ä€😀", ...[55, 56, 64, 1365, 1366, 100_000].map(length => "€".repeat(length))]

test.each([0, 1, 24, 63, 64, 65, 200])("the HMAC of any text is Node's own with a key of %i bytes", length => {
  const key = Buffer.alloc(length, "\xa7key", "latin1")
  const hmac = createHmacOf("sha256", "base64", key)
  // A shorter text follows each longer one, and the other way round.
  for (const text of [...texts, ...texts.toReversed()])
    for (const before of ["", "ü."])
      expect(hmac(before, Buffer.from(text))).toBe(
        createHmac("sha256", key).update(`${before}${text}`).digest("base64"),
      )
})
