import {createServer, type Socket} from "node:net"
import {expect, onTestFinished, test} from "vitest"
import {Gateway, GatewayClosed} from "../../../../server/adapters/discord/gateway/gateway.ts"
import {accountKey} from "../../../../server/adapters/discord/gateway/session.ts"
import {until} from "../../../support/host/process.ts"
import {listen} from "../../../support/machine/listen.ts"
import {startDiscord} from "../../../support/platforms/fakes.ts"

const open = async (url: string, token = "bot-999.token") => {
  const library = await import("@discordjs/ws")
  const names: string[] = []
  const unknown: string[] = []
  const gateway = new Gateway({
    library,
    token,
    intents: 1 << 9,
    account: accountKey(token, 1 << 9),
    url,
    session: undefined,
    dispatch: ({name, sequence}) => void names.push(`${sequence} ${name}`),
    unknown: what => unknown.push(what),
  })
  onTestFinished(() => gateway.close())
  return {gateway, names, unknown}
}

test("a connection delivers events in the gateway's order, including those right after READY", async () => {
  const fake = await startDiscord()
  const {gateway, names} = await open(fake.sessions.url)
  const connecting = gateway.connect()
  await until("the session", () => fake.sessions.identified === 1)
  for (let n = 0; n < 20; n++) fake.write({channel: "600", content: String(n)})
  expect(await connecting).toMatchObject({id: "session-1", sequence: 1, user: {id: "999"}, application: "999"})
  await until("all events", () => names.length === 21)
  expect(names).toEqual(["1 READY", ...Array.from({length: 20}, (_, n) => `${n + 2} MESSAGE_CREATE`)])
})

test("a connection catches up with a heartbeat, but not when the gateway is silent", async () => {
  const fake = await startDiscord()
  const {gateway} = await open(fake.sessions.url)
  await gateway.connect()
  const before = gateway.complete
  await gateway.catchUp(AbortSignal.timeout(5000))
  expect(gateway.complete).toBeGreaterThan(before)
  fake.sessions.isSilent = true
  await expect(gateway.catchUp(AbortSignal.timeout(50))).rejects.toThrow("did not answer")
})

test("a connection reports why it ended, and does not connect a second time", async () => {
  const fake = await startDiscord()
  const {gateway} = await open(fake.sessions.url)
  await gateway.connect()
  fake.sessions.cut(4009)
  const why = await gateway.ended
  expect(why).toBeInstanceOf(GatewayClosed)
  expect(why).toMatchObject({code: 4009, isSessionGone: true})
  await until("the connection to end", () => fake.sessions.connections === 0)
  expect(fake.sessions.identified).toBe(1)
})

test.each([
  ["text that is not JSON", "{"],
  ["a hello without its interval", {op: 10, d: null}],
  ["a READY without a session", {op: 0, t: "READY", s: 1, d: {user: {id: "1"}}}],
] as const)("a connection ends when the gateway sends %s", async (_, packet) => {
  const fake = await startDiscord()
  const {gateway} = await open(fake.sessions.url)
  await gateway.connect()
  fake.sessions.all(packet)
  expect((await gateway.ended).message).toMatch(/the gateway sent/)
})

test("a connection leaves out what it does not know, and goes on", async () => {
  const fake = await startDiscord()
  const {gateway, names, unknown} = await open(fake.sessions.url)
  await gateway.connect()
  for (const packet of [
    {op: 0, d: {}},
    {op: 0, t: 7, s: "2", d: {}},
    {op: 99, d: {x_new: 1}},
  ])
    fake.sessions.all(JSON.stringify(packet))
  fake.write({channel: "600", content: "hi"})
  await until("the next event", () => names.length === 2)
  expect(unknown).toHaveLength(3)
  expect(fake.sessions.connections).toBe(1)
})

test("a wrong token is recognized by its code", async () => {
  const {gateway} = await open((await startDiscord()).sessions.url, "wrong")
  await expect(gateway.connect()).rejects.toMatchObject({code: 4004})
})

test("a connection leaves no socket open when the gateway never answered", async () => {
  const sockets: Socket[] = []
  const port = await listen(createServer(socket => void sockets.push(socket.resume())))
  const {gateway} = await open(`ws://127.0.0.1:${port}`)
  const connecting = gateway.connect().catch(error => error)
  await until("the connection", () => sockets.length === 1)
  await gateway.close()
  await until("its end", () => sockets[0]?.destroyed === true)
  expect(await connecting).toBeInstanceOf(GatewayClosed)
})
