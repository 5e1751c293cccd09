import type {ServerResponse} from "node:http"
import {gzipSync} from "node:zlib"
import {expect, test} from "vitest"
import {fetchWhole, readStart, readText} from "../../../shared/sdk/sdk.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const packed = {"content-encoding": "gzip"}
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))

const flood = (response: ServerResponse): void => {
  const write = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    response.once("drain", write)
  }
  write()
}

test.each<[string, (response: ServerResponse) => void]>([
  ["an endless answer", flood],
  ["a compressed one", response => response.writeHead(200, packed).end(bomb)],
])("%s is cut off at the limit", async (_, answer) => {
  const closed = Promise.withResolvers<void>()
  const {url} = await startStandIn((_, response) => {
    response.on("close", closed.resolve)
    answer(response)
  })
  await expect(fetchWhole(url)).rejects.toThrow(/\b4194304\b/)
  await closed.promise
  await expect(readText(await fetch(url), 10)).rejects.toThrow(/\b10\b/)
})

test.each([
  [200, "héllo", {}],
  [404, gzipSync("héllo"), packed],
  [204, "", {}],
] as const)("an answer within the limit is as it was sent: %i", async (status, body, headers) => {
  const {url} = await startStandIn(
    (_, response) => void response.writeHead(status, {"x-id": "7", ...headers}).end(body),
  )
  const answer = await fetchWhole(url, {most: 6})
  expect({status: answer.status, id: answer.headers.get("x-id")}).toEqual({status, id: "7"})
  expect(await readText(answer)).toBe(status === 204 ? "" : "héllo")
})

test("the beginning of an answer is in a new buffer, with nothing else of the Host's memory", async () => {
  for (const most of [3, 100]) {
    const {bytes, isWhole} = await readStart(new Response("hello").body, most)
    expect({text: new TextDecoder().decode(bytes.buffer), isWhole}).toEqual({
      text: "hello".slice(0, most),
      isWhole: most > 3,
    })
  }
})
