import {createServer} from "node:http"
import {describe, expect, test} from "vitest"
import {bunAnd, freePort, messageIn, until} from "../../support/host/host.ts"
import {listen} from "../../support/machine/listen.ts"
import {secrets, startWebhookHost} from "../../support/webhooks/host.ts"
import {startReceiver} from "../../support/webhooks/webhooks.ts"

const secret = secrets.SHOP_SECRET

describe.each(bunAnd("node24"))("an outgoing webhook on $name", runtime => {
  test("is posted once under its outbox id, and the standard's own library verifies its signature", async () => {
    const receiver = await startReceiver(secret)
    const {host, say} = await startWebhookHost({runtime, url: receiver.url, names: ["SHOP_SECRET", "SHOP_SECRET_OLD"]})
    await say({text: "a < b 👋", channel: "#team"}, "msg_1", secrets.SHOP_SECRET_OLD)
    const delivery = await until("the answer to arrive", () => receiver.deliveries[0])
    const message = await messageIn(host, delivery.id, "sent")
    expect(message).toMatchObject({endpoint: "webhook~shop", channel: "#team", platformIds: [delivery.id]})
    expect(delivery.body).toEqual({
      type: "svc.message",
      channel: "#team",
      text: "got a < b 👋",
      content: "got a &lt; b 👋",
    })
    expect(delivery.headers).toMatchObject({"content-type": "application/json"})
    expect(delivery.headers.authorization).toBeUndefined()
    expect({deliveries: receiver.deliveries.length, refused: receiver.refused()}).toEqual({deliveries: 1, refused: 0})
  })

  test("is retried under the same id when another attempt may help", async () => {
    const statuses = [503, 429, 200]
    const receiver = await startReceiver(secret, (_, attempt) => ({status: statuses[attempt - 1] ?? 200}))
    const {host, say} = await startWebhookHost({runtime, url: receiver.url})
    await say({text: "hello"}, "msg_1")
    const {id} = await until("the first attempt", () => receiver.deliveries[0])
    await messageIn(host, id, "sent")
    expect(receiver.deliveries.map(delivery => delivery.id)).toEqual([id, id, id])
  })

  test("waits as long as the receiver's Retry-After asks, and is not retried sooner", async () => {
    const waits: Readonly<Record<string, number>> = {slow: 3_600_000, away: 7_200_000}
    const asked = new Map<string, number>()
    const receiver = await startReceiver(secret, ({body: {channel}}) => {
      const until = Date.now() + (waits[channel] ?? 0)
      asked.set(channel, until)
      return channel === "slow"
        ? {status: 429, headers: {"retry-after": "3600"}}
        : {status: 503, headers: {"retry-after": new Date(until).toUTCString()}}
    })
    const {host, say} = await startWebhookHost({runtime, url: receiver.url})
    for (const text of ["slow", "away"]) await say({text, channel: text}, text)
    const waiting = await until("both to wait", async () => {
      const {items} = await host.get("/api/outbox")
      return items.length === 2 && items.every(({error, state}) => error !== null && state === "queued") && items
    })
    expect(waiting.map(({channel}) => channel).sort()).toEqual(["away", "slow"])
    for (const {channel, notBefore} of waiting) {
      // A date has no milliseconds. The Host reads the answer after it was sent, and before now.
      expect(Date.parse(notBefore ?? "")).toBeGreaterThanOrEqual((asked.get(channel) ?? Number.NaN) - 1000)
      expect(Date.parse(notBefore ?? "")).toBeLessThanOrEqual(Date.now() + (waits[channel] ?? Number.NaN) + 1000)
    }
    expect(receiver.deliveries).toHaveLength(2)
  })

  test("fails when the receiver rejects it, and does not follow a redirect", async () => {
    const elsewhere = await startReceiver(secret)
    const receiver = await startReceiver(secret, ({body}) =>
      body.text === "got move" ? {status: 307, headers: {location: elsewhere.url}} : {status: 404},
    )
    const {host, say} = await startWebhookHost({runtime, url: receiver.url})
    for (const text of ["move", "gone"]) await say({text}, text)
    const sent = await until("both to end", async () => {
      const {items} = await host.get("/api/outbox")
      return items.length === 2 && items.every(({state}) => state === "failed") && items
    })
    const errors = await Promise.all(sent.map(({id}) => host.get("/api/outbox/:id", {id})))
    expect(errors.map(({error}) => error).sort()).toEqual([
      expect.stringMatching(/\b307\b.*\bredirects$/),
      "the receiver answered 404",
    ])
    expect(receiver.deliveries).toHaveLength(2)
    expect(elsewhere.deliveries).toEqual([])
  })
})

test("a receiver that is offline gets the message when it is back", async () => {
  const away = createServer()
  const port = await freePort()
  const {host, say} = await startWebhookHost({url: `http://127.0.0.1:${port}/`})
  await say({text: "hello"}, "msg_1")
  const {id} = await until("the first attempt to fail", async () => {
    const [message] = (await host.get("/api/outbox")).items
    return message !== undefined && message.error !== null && message
  })
  away.on("request", (request, response) => request.resume().on("end", () => response.end()))
  await listen(away, port)
  await messageIn(host, id, "sent")
})

test("an account without an address only receives: a message to it fails", async () => {
  const {host, say} = await startWebhookHost()
  await say({text: "hello"}, "msg_1")
  const message = await until("the message to end", async () => {
    const [item] = (await host.get("/api/outbox")).items
    return item?.state === "failed" && host.get("/api/outbox/:id", {id: item.id})
  })
  expect(message.error).toContain("no url")
})
