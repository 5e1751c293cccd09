import type {Peer} from "crossws"
import {expect, onTestFinished, test} from "vitest"
import {openSocket as connect} from "../../../../server/adapters/satori/socket.ts"
import {openSocket} from "../../../../server/runtime/outgoing/open-socket.ts"
import {serveSockets} from "../../../../server/testing/platforms/fake/serve.ts"
import {isRefusal} from "../../../../shared/sdk/adapter/refusal.ts"
import {Secret} from "../../../../shared/secret.ts"
import {until} from "../../../support/host/process.ts"

/** Connects to a server that answers as `hear` says, with a PING every 50 ms. */
const open = async (hear: (peer: Peer, said: {op: number; body?: {token?: string}}) => void) => {
  const url = await serveSockets(
    undo => onTestFinished(async () => void (await undo())),
    () => new Response(null, {status: 404}),
    {message: (peer, message) => hear(peer, JSON.parse(message.text()))},
  )
  const lost: {readonly error: string; readonly since: number | undefined}[] = []
  const strange: string[] = []
  const ready = connect(
    {url: `${url}/satori`, token: new Secret("right")},
    {
      tools: {openSocket, signal: new AbortController().signal},
      defer: undo => onTestFinished(undo),
      pingEvery: 50,
      listener: {
        event: () => {},
        proxies: () => {},
        strange: why => strange.push(why),
        lost: (error, since) => lost.push({error: error.message, since}),
      },
    },
  )
  return {ready, lost, strange}
}

const readySignal = JSON.stringify({op: 4, body: {logins: [{platform: "p", user: {id: "u"}}]}})

test("a server that answers no PING is lost, counted from its last answer", async () => {
  const began = Date.now()
  let answers = 2
  const {ready, lost} = await open((peer, {op}) => {
    if (op === 3) peer.send(readySignal)
    if (op === 1 && answers-- > 0) peer.send('{"op":2}')
  })
  expect(await ready).toMatchObject([{platform: "p", user: {id: "u"}}])
  await until("the connection to be lost", () => lost.length > 0)
  expect(lost).toEqual([{error: expect.stringMatching(/\bPING\b.* 0\.05 s$/), since: expect.any(Number)}])
  expect(lost[0]?.since).toBeGreaterThanOrEqual(began)
  expect(lost[0]?.since).toBeLessThan(Date.now() - 50)
})

test.each([3000, 3003, 4003, 4004])("a server that closes with %i before READY refuses the token", async code => {
  const {ready, lost} = await open((peer, {op}) => {
    if (op === 3) peer.close(code, "no")
  })
  const error = await ready.catch(thrown => thrown)
  expect(isRefusal(error)).toBe(true)
  expect(error.message).toContain(`: no (${code})`)
  expect(lost).toEqual([])
})

test("a server that closes otherwise before READY is retried; one that closes later is lost", async () => {
  const early = await open((peer, {op}) => {
    if (op === 3) peer.close(1013, "too slow")
  })
  const error = await early.ready.catch(thrown => thrown)
  expect(isRefusal(error)).toBe(false)
  expect(error.message).toContain("too slow (1013)")
  const late = await open((peer, {op}) => {
    if (op !== 3) return
    peer.send("junk")
    peer.send(readySignal)
    peer.close(1001, "the Host stops")
  })
  await late.ready
  await until("the connection to be lost", () => late.lost.length > 0)
  expect(late.lost[0]?.error).toMatch(/: the Host stops \(1001\)$/)
  expect(late.strange).toEqual(["an unknown signal"])
})

test("a server that cannot be reached is reported at once", async () => {
  const url = "http://127.0.0.1:1/satori"
  const listener = {event: () => {}, proxies: () => {}, strange: () => {}, lost: () => {}}
  const began = performance.now()
  const opening = connect(
    {url},
    {tools: {openSocket, signal: new AbortController().signal}, defer: undo => onTestFinished(undo), listener},
  )
  await expect(opening).rejects.toThrow(/\bevent connection\b/)
  expect(performance.now() - began).toBeLessThan(10_000)
})
