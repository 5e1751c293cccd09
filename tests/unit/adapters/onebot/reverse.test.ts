import {expect, onTestFinished, test} from "vitest"
import {transportOf} from "../../../../server/adapters/onebot/account.ts"
import {ReverseSockets} from "../../../../server/adapters/onebot/reverse.ts"
import type {AcceptSocket, Endpoint, PlatformSocket, SocketHandler} from "../../../../shared/sdk/sdk.ts"
import {Secret} from "../../../../shared/sdk/sdk.ts"
import {until} from "../../../support/host/process.ts"

/** Stand-ins for the Host's side, and for an implementation that connects with its token. */
const make = (patience: {together: number; probe: number}) => {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  let accept: AcceptSocket = () => new Response()
  const lost: {error: string; since?: number | undefined}[] = []
  const events: unknown[] = []
  const endpoint = {
    signal: ended.signal,
    defer: () => {},
    log: {warn: () => {}},
    accept: (take: AcceptSocket) => {
      accept = take
    },
  } as unknown as Endpoint
  const transport = transportOf({reverse: {selfId: 7}, accessToken: new Secret("the-token")})
  if (transport.is !== "reverse") throw new Error("another transport")
  const sockets = new ReverseSockets(
    transport,
    endpoint,
    {
      event: payload => events.push(payload),
      closed: ({message}, known) => lost.push({error: message, since: known?.since}),
    },
    patience,
  )
  const opening = sockets.open()
  opening.catch(() => {})
  const connect = (role?: string) => {
    const headers = {authorization: "Bearer the-token", "x-self-id": "7"}
    const taken = accept(new Request("http://h/", {headers: {...headers, ...(role && {"x-client-role": role})}}))
    if (taken instanceof Response) return {status: taken.status, sent: [], tell: () => {}}
    const sent: string[] = []
    const socket = {signal: ended.signal, send: async (data: string) => void sent.push(data), close: () => {}}
    const opened = socket as PlatformSocket
    const handler: SocketHandler = taken
    handler.open?.(opened)
    return {status: 101, sent, tell: (said: object) => void handler.message(JSON.stringify(said), opened)}
  }
  return {opening, connect, lost, events}
}

test("events arrive over the event connection, answers over the action connection", async () => {
  const {opening, connect, events} = make({together: 60_000, probe: 60_000})
  const [actions, told] = [connect("API"), connect("Event")]
  const answer = (await opening)("get_status", {}, new AbortController().signal)
  await until("the question", () => actions.sent.length === 1)
  expect(told.sent).toEqual([])
  const {echo} = JSON.parse(actions.sent[0] ?? "")
  told.tell({echo, status: "ok", data: "from the wrong one"})
  actions.tell({post_type: "message", on: "the wrong one"})
  actions.tell({echo, status: "ok", data: "right"})
  told.tell({post_type: "message"})
  expect(await answer).toBe("right")
  expect(events).toEqual([{post_type: "message"}])
})

test("an implementation that connects for actions only is reported", async () => {
  const {opening, connect, lost} = make({together: 20, probe: 60_000})
  connect("API")
  await expect(opening).rejects.toThrow("as API but not as Event")
  expect(lost).toHaveLength(1)
})

test("a second connection is refused, unless the first one does not answer", async () => {
  const {opening, connect, lost} = make({together: 60_000, probe: 50})
  const first = connect()
  await opening
  expect(connect().status).toBe(409)
  await until("the question", () => first.sent.length === 1)
  first.tell({echo: JSON.parse(first.sent[0] ?? "").echo, status: "failed", retcode: 1404})
  await new Promise(setImmediate)
  const heard = Date.now()
  expect(connect("Event").status).toBe(409)
  await until("the loss", () => lost.length === 1)
  expect(lost[0]?.error).toMatch(/\bold connection\b/)
  expect(lost[0]?.since).toBeLessThanOrEqual(heard)
})
