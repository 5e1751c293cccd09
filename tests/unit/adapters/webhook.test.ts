import {createHmac} from "node:crypto"
import {afterEach, beforeEach, describe, expect, test, vi} from "vitest"
import {toIncoming} from "../../../server/adapters/webhook/event.ts"
import {createHmacSha256} from "../../../server/adapters/webhook/hmac.ts"
import {openSignatures} from "../../../server/adapters/webhook/signatures.ts"
import {Secret} from "../../../shared/secret.ts"
import {secretOf, signatureOf} from "../../support/webhooks/webhooks.ts"

/** The vector that Standard Webhooks publishes. */
const published = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
const minutes = 60

const headersOf = (more: Record<string, string> = {}) =>
  new Headers({
    "webhook-id": published.id,
    "webhook-timestamp": String(published.timestamp),
    "webhook-signature": published.signature,
    ...more,
  })
const open = (...secrets: string[]) => openSignatures(secrets.map(secret => new Secret(secret)))

describe("a signature of Standard Webhooks", () => {
  beforeEach(() => {
    vi.useFakeTimers({toFake: ["Date"], now: published.timestamp * 1000})
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test("is accepted and made as in the published vector", async () => {
    const signatures = await open(published.secret)
    expect(signatures.verify(headersOf(), published.body)).toMatchObject({
      id: published.id,
      timestamp: published.timestamp,
    })
    expect(signatures.sign(published.id, published.body)["webhook-signature"]).toBe(published.signature)
    expect(signatureOf(published.body, published.id, published.timestamp, published.secret)).toBe(published.signature)
  })

  test("is accepted for five minutes before and after its time, and no second longer", async () => {
    const signatures = await open(published.secret)
    const verifyAt = (offset: number) => {
      vi.setSystemTime((published.timestamp + offset) * 1000)
      return () => signatures.verify(headersOf(), published.body)
    }
    expect(verifyAt(5 * minutes)).not.toThrow()
    expect(verifyAt(-5 * minutes)).not.toThrow()
    expect(verifyAt(5 * minutes + 1)).toThrow(/ five minutes old$/)
    expect(verifyAt(-5 * minutes - 1)).toThrow(/ five minutes ahead$/)
  })

  test("is accepted from any secret and among several, and made with the first secret", async () => {
    const signatures = await open(secretOf("new"), published.secret)
    expect(() => signatures.verify(headersOf(), published.body)).not.toThrow()
    const other = signatureOf(published.body, published.id, published.timestamp, secretOf("stranger"))
    const several = headersOf({"webhook-signature": `v1a,abc= ${other} ${published.signature}`})
    expect(() => signatures.verify(several, published.body)).not.toThrow()
    expect(signatures.sign(published.id, published.body)["webhook-signature"]).toBe(
      signatureOf(published.body, published.id, published.timestamp, secretOf("new")),
    )
  })

  const wrong = signatureOf(published.body, published.id, published.timestamp, secretOf("stranger"))
  const digest = published.signature.slice("v1,".length)
  test.each<[string, Record<string, string>]>([
    ["another secret's", {"webhook-signature": wrong}],
    ["cut short", {"webhook-signature": published.signature.slice(0, -5)}],
    ["of a version that is not v1", {"webhook-signature": `v1a,${digest}`}],
    ["without a version", {"webhook-signature": digest}],
    ["empty", {"webhook-signature": ""}],
    ["in two headers, which arrive joined", {"webhook-signature": `${published.signature}, ${wrong}`}],
    ["of another id", {"webhook-id": "msg_other"}],
    ["with two ids, which arrive joined", {"webhook-id": `${published.id}, ${published.id}`}],
    ["of another time", {"webhook-timestamp": String(published.timestamp + 1)}],
    ["with a time that has a tail", {"webhook-timestamp": `${published.timestamp}.5`}],
    ["with a time that has a zero in front", {"webhook-timestamp": `0${published.timestamp}`}],
  ])("is refused: %s", async (_, headers) => {
    const signatures = await open(published.secret, secretOf("old"))
    expect(() => signatures.verify(headersOf(headers), published.body)).toThrowError(
      expect.objectContaining({code: "signature_invalid"}),
    )
  })

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("is refused without %s", async name => {
    const headers = headersOf()
    headers.delete(name)
    const signatures = await open(published.secret)
    expect(() => signatures.verify(headers, published.body)).toThrow(`${name} is missing`)
  })

  test("is refused over a body that was parsed and serialized again", async () => {
    const signatures = await open(published.secret)
    expect(() => signatures.verify(headersOf(), JSON.stringify(JSON.parse(published.body)))).toThrow(
      "matches this body",
    )
  })

  test.each(["", "whsec_", "whsec_not base64!", "whsec_c2hvcnQ=", `whsec_${"A".repeat(100)}`])(
    "needs a secret of 24 to 64 bytes in base64: %j is refused, and not shown",
    async secret => {
      await expect(open(published.secret, secret)).rejects.toMatchObject({
        reason: "secret_invalid",
        message: "secrets[1] is not base64 of 24 to 64 bytes",
      })
    },
  )
})

const texts = ["", "a", "ä€😀", "\ud800", ...[55, 56, 64, 1365, 1366, 100_000].map(length => "€".repeat(length))]

test.each([0, 1, 24, 63, 64, 65, 200])("the HMAC of any text is Node's own with a key of %i bytes", length => {
  const key = Buffer.alloc(length, "\xa7key", "latin1")
  const hmac = createHmacSha256(key)
  // A shorter text follows each longer one, and the other way round.
  for (const text of [...texts, ...texts.toReversed()])
    expect(hmac(text)).toBe(createHmac("sha256", key).update(text).digest("base64"))
})

describe("a signed body", () => {
  const eventOf = (body: object) => toIncoming("id", 1000, JSON.stringify(body))

  test("with a text is a message in the partner's direct channel", () => {
    expect(eventOf({text: "1 < 2"})).toEqual({
      id: "id",
      type: "message-created",
      timestamp: 1000,
      channel: {id: "webhook", type: 1},
      user: {id: "webhook"},
      message: {id: "id", content: "1 &lt; 2"},
      raw: {type: "webhook", data: {text: "1 < 2"}},
    })
  })

  test("gives channel, user, name and whether it is a group", () => {
    const said = {type: "message-created", text: "", channel: "#team", user: "u1", name: "Ann", group: true, order: 7}
    expect(eventOf(said)).toMatchObject({
      channel: {id: "#team", type: 0},
      user: {id: "u1", name: "Ann"},
      message: {content: ""},
      raw: {type: "message-created", data: said},
    })
  })

  test("contains files as elements, by their types", () => {
    const src = "https://shop.example/7?a=1&b=2"
    const files = [
      {src, name: "bill.pdf", type: "application/pdf", page: 1},
      {src, type: "image/png"},
      {src: "http://x"},
    ]
    expect(eventOf({text: "paid", files}).message?.content).toBe(
      'paid<file src="https://shop.example/7?a=1&amp;b=2" title="bill.pdf" type="application/pdf"/>' +
        '<img src="https://shop.example/7?a=1&amp;b=2" type="image/png"/><file src="http://x"/>',
    )
  })

  test("of any other type is the platform's own event, with its payload", () => {
    const order = {type: "order.created", text: "not a message", channel: "shop", user: {id: 7}, data: {total: 12}}
    expect(eventOf(order)).toEqual({
      id: "id",
      type: "internal",
      timestamp: 1000,
      channel: {id: "shop", type: 0},
      raw: {type: "order.created", data: order},
    })
    expect(eventOf({})).toMatchObject({type: "internal", raw: {type: "webhook", data: {}}})
  })

  test.each([
    ["text: required for a message", {type: "message-created"}],
    ["text: expected non-empty text", {text: 7}],
    ["channel: expected non-empty text", {text: "a", channel: ""}],
    ["user: expected non-empty text", {text: "a", user: {id: "u"}}],
    ["group: expected true or false", {text: "a", group: "yes"}],
    ["type: expected non-empty text", {type: 7}],
    ["files: expected a list of at most 20", {text: "", files: {src: "https://x"}}],
    ["files: expected a list of at most 20", {text: "", files: Array(21).fill({src: "https://x"})}],
    ["files[1].src: expected an address", {text: "", files: [{src: "https://x"}, {src: "file:///etc/passwd"}]}],
    ["files[0].src: expected an address", {text: "", files: ["https://x"]}],
    ["only a Host sends", {type: "svc.message", text: "back to its sender"}],
  ])("is refused: %s", (message, body) => expect(() => eventOf(body)).toThrow(message))

  test.each([
    ["", "the body is empty"],
    ["null", "must be a JSON object"],
    ['[{"text": "a"}]', "must be a JSON object"],
    ["{text: 1}", "the body is not JSON"],
  ])("is refused unless it is a JSON object: %j", (body, message) => {
    expect(() => toIncoming("id", 1000, body)).toThrow(message)
  })
})
