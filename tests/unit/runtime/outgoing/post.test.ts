import {createServer, type RequestListener} from "node:http"
import {expect, test} from "vitest"
import {post} from "../../../../server/runtime/outgoing/post.ts"
import {listen} from "../../../support/machine/listen.ts"
import {freePort} from "../../../support/machine/ports.ts"

const startReceiver = async (answer: RequestListener) => {
  let connections = 0
  const port = await listen(createServer(answer).on("connection", () => connections++))
  return {url: `http://127.0.0.1:${port}/in?to=a%20b`, connections: () => connections}
}

const said = (signal = new AbortController().signal) => ({headers: {"x-id": "7"}, body: '{"text": "👋"}', signal})

test("the receiver gets path, headers and body, and its status and headers are returned", async () => {
  let got: object = {}
  const {url} = await startReceiver(async (request, response) => {
    const {method, url: path, headers} = request
    const body = Buffer.concat(await request.toArray()).toString()
    got = {method, path, id: headers["x-id"], length: headers["content-length"], body}
    response.writeHead(503, {"Retry-After": "9"}).end("later")
  })
  const {status, ok, headers} = await post(url, said())
  expect({status, ok, wait: headers.get("retry-after"), other: headers.get("x-other")}).toEqual({
    status: 503,
    ok: false,
    wait: "9",
    other: null,
  })
  expect(got).toEqual({method: "POST", path: "/in?to=a%20b", id: "7", length: "16", body: '{"text": "👋"}'})
})

test("a redirect is an answer, and is not followed", async () => {
  let asked = 0
  const {url} = await startReceiver((request, response) => {
    asked++
    request.resume()
    response.writeHead(307, {location: "/elsewhere"}).end()
  })
  const {status, ok} = await post(url, said())
  expect({status, ok, asked}).toEqual({status: 307, ok: false, asked: 1})
})

test("consecutive posts share their connections", async () => {
  const {url, connections} = await startReceiver((request, response) => {
    request.resume().on("end", () => response.end("{}"))
  })
  for (let nth = 0; nth < 20; nth++) expect(await post(url, said())).toMatchObject({status: 200, ok: true})
  expect(connections()).toBeLessThanOrEqual(2)
})

test("an endless answer is cut off, and the post has its status", async () => {
  const closed = Promise.withResolvers<void>()
  const {url} = await startReceiver((request, response) => {
    request.resume()
    response.on("close", closed.resolve)
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(16_384)));
      response.once("drain", write)
    }
    write()
  })
  expect(await post(url, said())).toMatchObject({status: 200})
  await closed.promise
})

test("the caller's signal ends a post, before its start and in transit, with its own reason", async () => {
  const {url} = await startReceiver(() => {})
  const reason = new Error("enough")
  await expect(post(url, said(AbortSignal.abort(reason)))).rejects.toBe(reason)
  const controller = new AbortController()
  const posted = post(url, said(controller.signal))
  setTimeout(() => controller.abort(reason), 50)
  await expect(posted).rejects.toBe(reason)
})

test("a receiver that is offline or hangs up is a failure with a cause", async () => {
  await expect(post(`http://127.0.0.1:${await freePort()}/`, said())).rejects.toThrow()
  const {url} = await startReceiver(request => request.socket.destroy())
  await expect(post(url, said())).rejects.toThrow()
})
