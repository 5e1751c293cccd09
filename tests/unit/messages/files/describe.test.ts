import {describe, expect, test} from "vitest"
import {describeFile, fileElements} from "../../../../server/messages/files/describe.ts"
import {h} from "../../../../shared/sdk/content/elements.ts"
import {parseContent} from "../../../../shared/sdk/content/parse-content.ts"

const shown = (content: string) =>
  fileElements(parseContent(content)).map(element => {
    const {element: _, ...file} = describeFile(element)
    return file
  })

describe("the files of a message", () => {
  test("are its own, in order, including those inside other elements, but not the quoted ones", () => {
    const content =
      '<quote id="1"><img src="https://x.example/old.png"/></quote>see <p><img src="https://x.example/a.png"/></p>' +
      '<a href="https://y.example"><video src="https://x.example/b.mp4"/></a><audio src="c"/><file src="d"/><at id="1"/>'
    expect(fileElements(parseContent(content)).map(({type, attrs}) => [type, attrs.src])).toEqual([
      ["img", "https://x.example/a.png"],
      ["video", "https://x.example/b.mp4"],
      ["audio", "c"],
      ["file", "d"],
    ])
    expect(shown("no file")).toEqual([])
  })

  test("have the properties that their elements and addresses give", () => {
    const src = "https://x.example/files/My%20report.PDF?token=1#2"
    expect(shown(`<file src="${src}" size="12"/>`)).toEqual([
      {name: "My report.PDF", type: "application/pdf", size: 12, src},
    ])
    expect(shown('<img src="mxc://x.example/AbC" title="cat.webp" name="other.png"/>')).toEqual([
      {name: "cat.webp", type: "image/webp", src: "mxc://x.example/AbC"},
    ])
    expect(shown('<audio src="https://x.example/v" type="Audio/OGG; codecs=opus" name="v.mp3"/>')).toEqual([
      {name: "v.mp3", type: "audio/ogg", src: "https://x.example/v"},
    ])
    expect(shown('<file src="data:text/csv;charset=utf-8;base64,YSxi" size="99"/>')).toEqual([
      {name: "file", type: "text/csv", size: 3, src: "data:text/csv;charset=utf-8;base64,YSxi"},
    ])
    expect(shown("<img/>")).toEqual([{name: "img"}])
  })
})

describe("a name", () => {
  test.each<[string, string]>([
    ["../../etc/passwd", ".._.._etc_passwd"],
    ["C:\\autoexec.bat", "C:_autoexec.bat"],
    ["a\u0000b\nc\u001b[31m.txt", "abc[31m.txt"],
    ["photo\u202egnp.exe", "photognp.exe"],
    ["a\u061cb\u2066c\u200e.txt", "abc.txt"],
    ["  spaced.txt ", "spaced.txt"],
    ["日本 🙂.png", "日本 🙂.png"],
    ["..", "img"],
    ["\u0007", "img"],
    [`${"x".repeat(300)}.jpeg`, `${"x".repeat(195)}.jpeg`],
  ])("is cleaned: %j", (title, name) => expect(describeFile(h("img", {title})).name).toBe(name))

  test.each<[string, string]>([
    ["https://x.example/", "file"],
    ["https://x.example/a/%2e%2e%2fb.txt", ".._b.txt"],
    ["https://x.example/%E0%A4%A.txt", "%E0%A4%A.txt"],
    ["not an address", "file"],
    ["sandbox:abc/d.txt", "d.txt"],
  ])("from the address %s is %s", (src, name) => expect(describeFile(h("file", {src})).name).toBe(name))
})

test.each(["-1", "1.5", "1e3", "many", "9999999999999999"])("a size of %s is ignored", size => {
  expect(describeFile({type: "file", attrs: {size}, children: []})).not.toHaveProperty("size")
})
