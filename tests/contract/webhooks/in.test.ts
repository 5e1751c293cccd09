import {describe, expect, test} from "vitest"
import {bunOr, eventOf, expectProblem, type TestHost, until, untilState} from "../../support/host/host.ts"
import {closing, raw} from "../../support/http/raw.ts"
import {secrets, startWebhookHost, webhookConfig} from "../../support/webhooks/host.ts"
import {deliver, type SigningOptions, secretOf, signatureOf, signedHeaders} from "../../support/webhooks/webhooks.ts"

const secret = secrets.SHOP_SECRET
const body = '{"type": "message-created", "text": "hello", "n": 1.0}'
const now = () => Math.floor(Date.now() / 1000)

const stored = async (host: TestHost) => (await host.get("/api/inbox")).items.map(({seq}) => seq)

/** Sends one request verbatim, so that headers may appear twice. Resolves to the status. */
const sendRaw = async (host: TestHost, lines: readonly string[]): Promise<number> => {
  const head = closing("POST /hooks/webhook/webhook~shop", `Content-Length: ${body.length}`, ...lines)
  return Number((await raw(host, head + body)).slice(9, 12))
}

describe.each(bunOr("node22"))("an incoming webhook on $name", runtime => {
  test("is acknowledged once its event is durable, and handled", async () => {
    const {host, say} = await startWebhookHost({runtime})
    const response = await say({text: "a < b", channel: "#team", user: "u1", name: "Ann"}, "msg_1")
    expect({status: response.status, body: await response.json()}).toEqual({
      status: 202,
      body: {id: "msg_1", duplicate: false},
    })
    const [seq = 0] = await stored(host)
    expect(await eventOf(host, seq)).toMatchObject({
      endpoint: "webhook~shop",
      state: "handled",
      event: {
        type: "message-created",
        channel: {id: "#team", type: 1},
        user: {id: "u1", name: "Ann"},
        message: {id: "msg_1", content: "a &lt; b"},
      },
    })
    await say({type: "order.created", data: {total: 12.5}}, "msg_2")
    await until("the handler to record the payload", () => host.project.read("notes.log") !== "")
    expect(JSON.parse(host.project.read("notes.log"))).toEqual([
      "order.created",
      {type: "order.created", data: {total: 12.5}},
    ])
  })

  test("is stored once however often it is delivered, even in parallel, and always acknowledged", async () => {
    const {host, say} = await startWebhookHost({runtime})
    const responses = await Promise.all(Array.from({length: 20}, () => say({text: "again"}, "msg_1")))
    responses.push(await say({text: "the same id with another text"}, "msg_1"))
    expect(responses.map(({status}) => status)).toEqual(Array(21).fill(202))
    const answers = (await Promise.all(responses.map(response => response.json()))) as {duplicate: boolean}[]
    expect(answers.filter(({duplicate}) => !duplicate)).toHaveLength(1)
    expect(await stored(host)).toHaveLength(1)
  })

  test("is refused and stores nothing unless the signature matches these exact bytes", async () => {
    // Each request has its own address, so that the limit of failures per address does not refuse it.
    const config = webhookConfig().replace("port: 0", "port: 0, trustedProxies: [127.0.0.1]")
    const {host, hook} = await startWebhookHost({runtime, config})
    let senders = 0
    const from = () => ({"x-forwarded-for": `192.0.2.${++senders}`})
    const post = (sent: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      fetch(hook, {method: "POST", headers: {"content-type": "application/json", ...from(), ...headers}, body: sent})
    const signed = (options: SigningOptions) => deliver(hook, body, {...options, headers: from()})
    const good = signedHeaders(body, {id: "msg_1", secret})
    const {"webhook-signature": signature = ""} = good
    const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
    const faults: [string, Promise<Response>][] = [
      ["no header", post(body, {})],
      ["the Host's token", post(body, {authorization: `Bearer ${secrets.HTTP_TOKEN}`})],
      [
        "the Host's token as its secret",
        signed({id: "msg_1", secret: Buffer.from(secrets.HTTP_TOKEN).toString("base64")}),
      ],
      ["a stranger's secret", signed({id: "msg_1", secret: secretOf("stranger")})],
      ["a time five minutes ago", signed({id: "msg_1", secret, timestamp: now() - 310})],
      ["a time in five minutes", signed({id: "msg_1", secret, timestamp: now() + 310})],
      ["no id", post(body, without("webhook-id"))],
      ["no time", post(body, without("webhook-timestamp"))],
      ["no signature", post(body, without("webhook-signature"))],
      ["another id", post(body, {...good, "webhook-id": "msg_2"})],
      ["a body that was read and written again", post(JSON.stringify(JSON.parse(body)), good)],
      ["a body with a line end more", post(`${body}\n`, good)],
      ["an empty body", post("", good)],
      ["two signatures in two headers", post(body, {...good, "webhook-signature": `${signature}, ${signature}`})],
    ]
    for (const [what, sent] of faults) {
      const response = await sent
      expect({what, status: response.status}).toEqual({what, status: 403})
      expect(JSON.stringify(await expectProblem(response, 403, "signature_invalid"))).not.toContain(signature.slice(3))
    }
    expect(await stored(host)).toEqual([])
    expect((await post(body, good)).status).toBe(202)
  })

  test("is refused with 429 after ten failures a minute from its address, unless it is signed well", async () => {
    const {host, hook, say} = await startWebhookHost({runtime})
    const wrong = () => deliver(hook, body, {id: "msg_1", secret: secretOf("stranger")})
    for (let n = 0; n < 10; n++) await expectProblem(await wrong(), 403, "signature_invalid")
    const refused = await wrong()
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60)
    await expectProblem(refused, 429, "too_many_failures")
    expect((await say({text: "signed"}, "msg_1")).status).toBe(202)
    await expectProblem(await wrong(), 429, "too_many_failures")
    // Wrong tokens and wrong signatures are counted separately; other failures are not counted.
    expect((await host.fetch("/api/system/status", {headers: {authorization: "Bearer wrong"}})).status).toBe(401)
    await expectProblem(await say([], "msg_2"), 400, "request_invalid")
    expect(await stored(host)).toHaveLength(1)
  })

  test("is refused when it has a header twice", async () => {
    const {host} = await startWebhookHost({runtime})
    const lines = Object.entries(signedHeaders(body, {id: "msg_1", secret})).map(([key, value]) => `${key}: ${value}`)
    for (const line of lines.filter(each => each.startsWith("webhook-"))) {
      expect(await sendRaw(host, [...lines, line])).toBe(403)
      expect(await sendRaw(host, [line.replace(/: .*/, ": v1,other"), ...lines])).toBe(403)
    }
    expect(await stored(host)).toEqual([])
    expect(await sendRaw(host, lines)).toBe(202)
  })

  test("is refused, signed or not, unless it is a JSON object in UTF-8 of at most 1 MiB", async () => {
    const {host, hook} = await startWebhookHost({runtime})
    const send = (sent: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      deliver(hook, sent, {id: "msg_1", secret, headers})
    await expectProblem(await send(body, {"content-type": "text/plain"}), 415, "unsupported_media_type")
    await expectProblem(
      await send(body, {"content-type": "application/x-www-form-urlencoded"}),
      415,
      "unsupported_media_type",
    )
    await expectProblem(await send(""), 400, "request_invalid")
    await expectProblem(await send("[]"), 400, "request_invalid")
    await expectProblem(await send("{"), 400, "request_invalid")
    const deep = `{"type": "order", "a": ${"[".repeat(5000)}${"]".repeat(5000)}}`
    await expectProblem(await send(deep), 400, "request_invalid")
    await expectProblem(await send('{"type": "svc.message", "text": "a"}'), 400, "request_invalid")
    const broken = Uint8Array.from([...Buffer.from('{"text": "'), 0xff, 0xfe, ...Buffer.from('"}')])
    await expectProblem(await send(broken), 400, "request_invalid")
    await expectProblem(await send(JSON.stringify({text: "x".repeat(2 * 1024 * 1024)})), 413, "body_too_large")
    const get = await fetch(hook)
    await expectProblem(get, 405, "method_not_allowed")
    expect(get.headers.get("allow")).toBe("POST")
    expect(await stored(host)).toEqual([])
    expect((await send('\ufeff{"type": "order"}')).status).toBe(202)
    expect((await send('{"text": "héllo 👋"}', {"content-type": "application/json; charset=utf-8"})).status).toBe(202)
  })
})

test("a secret is rotated: the old one is accepted until it is removed from the configuration", async () => {
  const {host, say} = await startWebhookHost({names: ["SHOP_SECRET", "SHOP_SECRET_OLD"]})
  expect((await say({text: "old"}, "msg_1", secrets.SHOP_SECRET_OLD)).status).toBe(202)
  expect((await say({text: "new"}, "msg_2", secrets.SHOP_SECRET)).status).toBe(202)
  host.project.write("svc.config.yml", webhookConfig({names: ["SHOP_SECRET"]}))
  await host.post("/api/system/reload")
  await until("the endpoint to be open again", async () => {
    return (await say({text: "old"}, "msg_3", secrets.SHOP_SECRET_OLD)).status === 403
  })
  expect((await say({text: "new"}, "msg_4", secrets.SHOP_SECRET)).status).toBe(202)
})

test("several signatures in one header are accepted if one of them is good", async () => {
  const {hook} = await startWebhookHost()
  const timestamp = now()
  const other = signatureOf(body, "msg_1", timestamp, secretOf("the next"))
  const headers = signedHeaders(body, {id: "msg_1", secret, timestamp})
  const both = {...headers, "webhook-signature": `${other} ${headers["webhook-signature"]}`}
  expect((await fetch(hook, {method: "POST", headers: both, body})).status).toBe(202)
})

test("an invalid secret makes the endpoint fail with a next step, and is shown nowhere", async () => {
  const {host, say} = await startWebhookHost({env: {SHOP_SECRET: "hunter22-is-no-base64"}})
  const endpoint = await untilState(host, "webhook~shop", "failed")
  expect(endpoint).toMatchObject({reason: "secret_invalid"})
  await expectProblem(await say({text: "a"}, "msg_1"), 503, "admission_closed")
  expect(JSON.stringify(endpoint) + host.process.output()).not.toContain("hunter22")
})
