import type {ServerResponse} from "node:http"
import {expect, test} from "vitest"
import {fetchMissed, longestBackfill} from "../../../../server/adapters/matrix/backfill.ts"
import {acting, Client, MatrixError, path} from "../../../../server/adapters/matrix/client/client.ts"
import {isEntry, isExit, readEvent} from "../../../../server/adapters/matrix/client/event.ts"
import {Translator} from "../../../../server/adapters/matrix/events.ts"
import {Invitations} from "../../../../server/adapters/matrix/invitations.ts"
import {download, Uploads} from "../../../../server/adapters/matrix/media.ts"
import {Rooms} from "../../../../server/adapters/matrix/rooms.ts"
import {cursorOf, follow, sinceOf} from "../../../../server/adapters/matrix/sync.ts"
import {isRefusal, postponementOf} from "../../../../shared/sdk/adapter/refusal.ts"
import type {DatedIncoming, Endpoint, Log} from "../../../../shared/sdk/sdk.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"

const token = "a-secret-token"
const {signal} = new AbortController()
const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  void response
    .writeHead(status, {"content-type": "application/json", ...headers})
    .end(typeof body === "string" ? body : JSON.stringify(body))

test("an error shows the homeserver's answer, but no secret", async () => {
  const {url} = await startStandIn((_, response) => answer(response, 403, {errcode: "M_FORBIDDEN", error: "no"}))
  const client = new Client(`${url}/`, token)
  const failed = await client.ask("PUT", path`/client/v3/rooms/${"!a/b:c"}`, {signal, body: {}}).catch(error => error)
  expect(failed.message).toBe("PUT /client/v3/rooms/!a/b:c: the homeserver answered 403 M_FORBIDDEN no")
  const away = await new Client("http://127.0.0.1:9", token).ask("GET", "/x", {signal}).catch(error => error)
  expect(away.message).toMatch(/^could not reach http:\/\/127\.0\.0\.1:9: /)
  expect(`${failed.stack} ${away.stack} ${JSON.stringify(client)}`).not.toContain(token)
})

test.each([
  ['{"next_batch": "s1', 200, /something other than JSON/],
  ["<html>", 502, /answered 502$/],
  ["", 500, /answered 500$/],
])("an answer that is not JSON is an error: %j", async (body, status, message) => {
  const {url} = await startStandIn((_, response) => answer(response, status, body))
  await expect(new Client(url).ask("GET", "/x", {signal})).rejects.toThrow(message)
})

test("a homeserver that does not answer in time is an error", async () => {
  const {url} = await startStandIn(() => {})
  await expect(new Client(url).ask("GET", "/x", {signal, patience: 50})).rejects.toThrow(/could not reach/)
})

const errorOf = async (status: number, body: object, header: string | null = null) =>
  acting(Promise.reject(new MatrixError("PUT /x", status, body as Record<string, unknown>, header))).catch(
    error => error,
  )

test("permanent failures are refusals, a limit asks to wait, and other failures are retried", async () => {
  expect(postponementOf(await errorOf(429, {errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1234}))).toBe(1234)
  expect(postponementOf(await errorOf(429, {}, "7"))).toBe(7000)
  expect(postponementOf(await errorOf(429, {retry_after_ms: "soon"}))).toBe(1000)
  expect(await errorOf(403, {errcode: "M_FORBIDDEN"})).toMatchObject({reason: "forbidden"})
  expect(await errorOf(413, {})).toMatchObject({reason: "too_large"})
  expect(await errorOf(400, {errcode: "M_BAD_JSON"})).toMatchObject({reason: "rejected"})
  for (const status of [401, 500, 503]) expect(isRefusal(await errorOf(status, {}))).toBe(false)
})

test("the token goes to the homeserver only, even if a file is elsewhere", async () => {
  const elsewhere = await startStandIn((_, response) => void response.end("the file"))
  const {url, requests} = await startStandIn((request, response) =>
    request.url?.includes("/client/v1/media/download/") === true
      ? answer(response, 307, "", {location: `${elsewhere.url}/file`})
      : answer(response, 404, {}),
  )
  const found = await download(new Client(url, token), {element: file, src: "mxc://example.org/abc"}, signal)
  expect(await found?.text()).toBe("the file")
  expect(requests).toEqual([
    {path: "/_matrix/client/v1/media/download/example.org/abc", authorization: `Bearer ${token}`},
  ])
  expect(elsewhere.requests).toEqual([{path: "/file", authorization: undefined}])
})

const file = {type: "file", attrs: {}, children: []} as const

test("files are requested at the newer address, then at the older one, and only by mxc:", async () => {
  const {url, requests} = await startStandIn((request, response) =>
    request.url?.startsWith("/_matrix/media/v3/download/") === true
      ? void response.end("old")
      : answer(response, 404, {errcode: "M_UNRECOGNIZED"}),
  )
  const client = new Client(url, token)
  expect(await (await download(client, {element: file, src: "mxc://a.b:8448/x_-Y"}, signal))?.text()).toBe("old")
  for (const src of ["https://a/b", "mxc://a/../../client", "mxc://a/b/c", "mxc://a@b/c", "mxc://a/b?x", undefined])
    expect(await download(client, {element: file, ...(src === undefined ? {} : {src})}, signal)).toBeUndefined()
  expect(requests).toHaveLength(2)
})

test("a gap that is too long is named, and the fetched events stay in order", async () => {
  let n = 5000
  const {url} = await startStandIn((request, response) => {
    const {searchParams} = new URL(request.url ?? "", "http://platform")
    const chunk = Array.from({length: 100}, () => ({
      event_id: `$${n--}`,
      type: "m.room.message",
      sender: "@ann:a",
      origin_server_ts: n * 1000,
      content: {},
    }))
    answer(response, 200, {chunk, end: `${searchParams.get("from")}x`})
  })
  const said: string[] = []
  const log = {error: (text: string) => said.push(text)} as unknown as Log
  const missed = {room: "!r:a", from: "t", to: "s", isBegin: () => false}
  const events = await fetchMissed(new Client(url), missed, log, signal)
  expect(events.map(({id}) => id)).toEqual(Array.from({length: longestBackfill}, (_, index) => `$${4001 + index}`))
  expect(said).toEqual([expect.stringMatching(/^!r:a: .*\b1000\b.* 1970-01-01T01:06:40/)])
  n = 300
  const known = {...missed, isBegin: ({id}: {readonly id: string}) => id === "$151"}
  expect((await fetchMissed(new Client(url), known, log, signal)).map(({id}) => id)[0]).toBe("$152")
  expect(said).toHaveLength(1)
})

test("a cursor belongs to one account", () => {
  const self = {id: "@bot:a", name: "bot"}
  expect(sinceOf(self, cursorOf(self, "s1_2"))).toBe("s1_2")
  expect(sinceOf({...self, id: "@bot:b"}, cursorOf(self, "s1_2"))).toBeUndefined()
  expect(sinceOf(self, undefined)).toBeUndefined()
})

const member = (membership: unknown, before?: unknown) =>
  readEvent({
    event_id: "$1",
    type: "m.room.member",
    sender: "@ann:a",
    state_key: "@ann:a",
    origin_server_ts: "yesterday",
    content: {membership},
    unsigned: before === undefined ? {} : {prev_content: {membership: before}},
  })

test("a change of name is neither a join nor a leave", () => {
  const all = [
    member("join"),
    member("join", "invite"),
    member("join", "join"),
    member("leave", "join"),
    member("ban", 7),
  ]
  const events = all.filter(event => event !== undefined)
  expect(events.map(event => isEntry(event, "@ann:a"))).toEqual([true, true, false, false, false])
  expect(events.map(event => isExit(event, "@ann:a"))).toEqual([false, false, false, true, false])
})

test.each([null, [], "x", {}, {event_id: "$1", type: "m", sender: ""}, {event_id: 1, type: "m", sender: "@a:b"}])(
  "an invalid event is left out: %j",
  value => expect(readEvent(value)).toBeUndefined(),
)

test("a file is uploaded as a whole with its length first; one that is too large is refused before", async () => {
  const heard: {length: string | undefined; bytes: number}[] = []
  const {url} = await startStandIn((request, response) => {
    if (request.url?.includes("/config") === true) return answer(response, 200, {"m.upload.size": 300_000})
    let bytes = 0
    request.on("data", piece => {
      bytes += piece.length
    })
    request.on("end", () => {
      heard.push({length: request.headers["content-length"], bytes})
      answer(response, 200, {content_uri: "mxc://example.org/abc"})
    })
  })
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start: controller => {
        for (let n = 0; n < 10; n++) controller.enqueue(new Uint8Array(30_000))
        controller.close()
      },
    })
  const uploads = new Uploads(new Client(url, token))
  const stored = {sha256: "0", name: "ä/.txt", type: "text/plain", size: 300_000, stream}
  expect(await uploads.upload(stored, signal)).toBe("mxc://example.org/abc")
  expect(await uploads.upload({...stored, size: 0}, signal)).toBe("mxc://example.org/abc")
  expect(heard).toEqual([
    {length: "300000", bytes: 300_000},
    {length: "0", bytes: 0},
  ])
  const refusal = await uploads.upload({...stored, size: 300_001}, signal).catch(error => error)
  expect(refusal).toMatchObject({reason: "file_too_large"})
})

test("a sync that is too large is asked for again with less of each room", async () => {
  const limits: number[] = []
  const {url} = await startStandIn((request, response) => {
    const filter: {room: {timeline: {limit: number}}} = JSON.parse(
      new URL(`http://a${request.url}`).searchParams.get("filter") ?? "",
    )
    const {limit} = filter.room.timeline
    limits.push(limit)
    answer(response, 200, {
      next_batch: `s${limits.length}`,
      text: "x".repeat(limits.length > 1 && limit > 1 ? 9_000_000 : 1),
    })
  })
  const client = new Client(url, token)
  const self = {id: "@bot:a", name: "Bot"}
  const shared = {
    client,
    self,
    rooms: new Rooms(client, self, signal),
    log: {} as Log,
    signal,
    unreadable: () => {},
    unknown: () => {},
  }
  const cursors: unknown[] = []
  const endpoint = {
    signal,
    receive: async (_: unknown, {cursor}: {cursor: string}) => {
      if (cursors.push(cursor) === 2) throw new Error("enough")
    },
  } as unknown as Endpoint<DatedIncoming>
  const syncing = {...shared, translator: new Translator(shared), invitations: new Invitations([], shared), endpoint}
  await expect(follow(syncing, "s0")).rejects.toThrow("enough")
  expect({limits, cursors}).toEqual({limits: [50, 50, 1], cursors: ["@bot:a s1", "@bot:a s3"]})
})
