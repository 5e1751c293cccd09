import {expect, test} from "vitest"
import {boundaryOf, partsOf} from "../../../server/http/satori/files/multipart.ts"

const readerOf = (bytes: Buffer, size: number) => {
  let at = 0
  return async (): Promise<Uint8Array | undefined> => {
    if (at >= bytes.length) return undefined
    at += size
    return bytes.subarray(at - size, at)
  }
}

const readAll = async (text: string | Buffer, size = 1000, boundary = "b") => {
  const parts: unknown[] = []
  for await (const {name, filename, type, pieces} of partsOf(readerOf(Buffer.from(text), size), boundary)) {
    const chunks: Uint8Array[] = []
    for await (const piece of pieces) chunks.push(Uint8Array.from(piece))
    parts.push([name, filename, type, Buffer.concat(chunks).toString("latin1")])
  }
  return parts
}

const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`

test.each([1, 2, 3, 5, 7, 11, 1000])("a form is read as it was written, %d bytes at a time", async size => {
  const nearly = "\r\n--\r\n--a\r\n-\r\r\n\n--b".slice(0, -3)
  const form = [
    "a preamble\r\n",
    part(`${disposition('name="one"; filename="a.png"')}\r\nContent-Type: image/png`, "\x00\xff\r\n"),
    part(disposition("name=two"), nearly),
    part(disposition('name="three"; filename=""'), ""),
    "--b--\r\nan epilogue",
  ]
  expect(await readAll(Buffer.from(form.join(""), "latin1"), size)).toEqual([
    ["one", "a.png", "image/png", "\x00\xff\r\n"],
    ["two", undefined, undefined, nearly],
    ["three", "", undefined, ""],
  ])
})

test("a body from FormData is read, with any names", async () => {
  const form = new FormData()
  form.append('a "quoted" field', new Blob(["1"], {type: "image/png"}), 'na"me\nß.txt')
  form.append("text", "plain")
  const sent = new Response(form)
  const boundary = boundaryOf(sent.headers.get("content-type"))
  const parts = await readAll(Buffer.from(await sent.arrayBuffer()), 10, boundary)
  expect(parts.slice(0, 1)).toEqual([['a "quoted" field', 'na"me\nß.txt', "image/png", "1"]])
  expect(parts[1]).toEqual(["text", undefined, undefined, "plain"])
})

test.each<[string, string, ("latin1" | "utf8")?]>([
  [disposition('name="f"; filename="x"; filename*=UTF-8\'\'%E2%82%AC.txt'), "€.txt"],
  [disposition('name="f"; filename="a\\"b\\\\c"'), 'a"b\\c'],
  [disposition('name="f"; filename="中文.txt"'), "中文.txt"],
  [disposition('name="f"; filename="\xd6\xd0\xce\xc4.txt"'), "中文.txt", "latin1"],
  [disposition('name="f"; filename="\xdcbung \xe9\xe9.txt"'), "Übung éé.txt", "latin1"],
  [disposition("name=f; filename*=GBK''%D6%D0%CE%C4.txt"), "中文.txt"],
  [disposition("name=f; filename*1*=%CE%C4.txt; filename*0*=gbk'zh'%D6%D0"), "中文.txt"],
  [disposition('name=f; filename*0="a "; filename*1="b.txt"'), "a b.txt"],
  [disposition("name=f; filename=plain.txt; filename*=nonsense''%D6"), "plain.txt"],
  [disposition("name=f; filename=plain.txt; filename*=UTF-8''%D6%D0"), "plain.txt"],
  [disposition('filename="first.txt"; name="f"'), "first.txt"],
])("the name in %s is %s", async (head, name, charset = "utf8") => {
  expect(await readAll(Buffer.from(`${part(head, "x")}--b--`, charset))).toEqual([["f", name, undefined, "x"]])
})

test.each([
  ["", "it ends before its last boundary"],
  ["--b", "it ends before its last boundary"],
  [part(disposition('name="f"'), "x"), "it ends before its last boundary"],
  ["--b\r\n\r\nno head\r\n--b--", "a part has no Content-Disposition with a name"],
  [`${part("Content-Type: text/plain", "x")}--b--`, "a part has no Content-Disposition with a name"],
  [`${part(disposition('name=""'), "x")}--b--`, "a part has no Content-Disposition with a name"],
  ["--bx\r\n", "there is text after a boundary"],
  [`--b\r\nX: ${"y".repeat(20_000)}`, "the headers of a part are longer than 16384 bytes"],
])("%j is refused: %s", async (form, why) => {
  await expect(readAll(form)).rejects.toMatchObject({
    code: "request_invalid",
    message: expect.stringContaining(`: ${why}`),
  })
})

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', "a b"],
  ["multipart/form-data", undefined],
  ["multipart/form-data; boundary=", undefined],
  ["multipart/mixed; boundary=abc", undefined],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, undefined],
  [null, undefined],
])("the boundary of %j is %j", (type, boundary) => expect(boundaryOf(type)).toBe(boundary))
