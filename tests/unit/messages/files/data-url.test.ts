import {expect, test} from "vitest"
import {openDataUrl, sizeOfDataUrl} from "../../../../server/messages/files/data-url.ts"

test.each<[string, string]>([
  ["data:text/plain;base64,aGVsbG8=", "hello"],
  ["DATA:;BASE64,aGVsbG8", "hello"],
  ["data:,hello%20there", "hello there"],
  ["data:text/plain;charset=utf-8,%C3%A4", "ä"],
  ["data:,", ""],
])("%s holds %j", async (src, text) => {
  const {body, size} = openDataUrl(src)
  expect(await new Response(body).text()).toBe(text)
  expect(size).toBe(new TextEncoder().encode(text).length)
  if (/base64/i.test(src)) expect(sizeOfDataUrl(src)).toBe(size)
})

test.each(["data:", "data:text/plain;base64,a*b", "data:,%E0%A4%A", "data:text/plain;base64"])(
  "%s is incomplete",
  src => expect(() => openDataUrl(src)).toThrow(expect.objectContaining({code: "file_refused"})),
)
