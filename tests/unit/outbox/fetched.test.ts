import {createServer} from "node:http"
import {expect, test} from "vitest"
import {fetchFile, nameAtEnd} from "../../../server/outbox/files/fetched.ts"
import {listen} from "../../support/machine/listen.ts"

test.each([
  ["https://example.com/a/cat%20one.png?x=1#y", "cat one.png"],
  ["https://example.com/", undefined],
  ["https://example.com/a/..", undefined],
  ["https://example.com/%E0%A4%A", "%E0%A4%A"],
  ["https://example.com/a%2Fb%5Cc", "a_b_c"],
  ["https://example.com/exe%E2%80%AEgnp.a", "exegnp.a"],
  [`https://example.com/${"x".repeat(300)}.png`, `${"x".repeat(196)}.png`],
])("the name at the end of %s is %s", (address, name) => expect(nameAtEnd(address)).toBe(name))

test("a fetch ends when nobody waits for it any more, also between two chunks", async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    response.on("close", () => closed.resolve())
    response.write("abc")
  })
  const port = await listen(server)
  const ended = new AbortController()
  const read = async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const _ of pieces) ended.abort(new Error("the handler has ended"))
  }
  const options = {limit: 100, allowPrivate: ["127.0.0.1"], signal: ended.signal}
  await expect(fetchFile(`http://127.0.0.1:${port}/`, options, read)).rejects.toThrow("the handler has ended")
  await closed.promise
})
