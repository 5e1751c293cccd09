import {expect, test} from "vitest"
import {contentOf} from "../../../server/outbox/draft.ts"
import {type Content, h, renderContent} from "../../../shared/sdk/content/elements.ts"
import {fileSource, pathOf} from "../../../shared/sdk/content/file-source.ts"
import {
  b,
  card,
  code,
  file,
  i,
  image,
  link,
  list,
  markdown,
  mention,
  quote,
  table,
} from "../../../shared/sdk/content/shorthands.ts"

const picture = "https://e.org/a.png"

test.each<[Content, string]>([
  [b("a", i("b"), code("<")), "<b>a<i>b</i><code>&lt;</code></b>"],
  [
    [link("https://e.org"), link("https://e.org", b("a"))],
    '<a href="https://e.org">https://e.org</a><a href="https://e.org"><b>a</b></a>',
  ],
  [[mention("7"), mention({id: "7", name: "Ann"})], '<at id="7"/><at id="7" name="Ann"/>'],
  [image(picture, {title: "A"}), `<img title="A" src="${picture}"/>`],
  [quote("a"), "<blockquote>a</blockquote>"],
  [
    list(["a", ["b", list(["c"], {ordered: true, start: 3})]]),
    '<ul><li>a</li><li>b<ol start="3"><li>c</li></ol></li></ul>',
  ],
  [
    table([["a", b("1")]], {header: ["N"], align: ["right"]}),
    '<table><tr><th align="right">N</th></tr><tr><td align="right">a</td><td><b>1</b></td></tr></table>',
  ],
  [card({}), "<card/>"],
  [
    card({
      title: "T",
      href: "https://e.org",
      colour: "#00ff00",
      text: ["a", b("b")],
      fields: [{title: "F", value: "v", inline: true}],
      image: picture,
      buttons: [h("button", {id: "1"}, "B")],
    }),
    '<card title="T" href="https://e.org" colour="#00ff00">a<b>b</b><card-field title="F" inline>v</card-field>' +
      `<img src="${picture}"/><button id="1">B</button></card>`,
  ],
  [markdown("*a*"), "<markdown>*a*</markdown>"],
])("%j", (content, text) => {
  expect(renderContent(content)).toBe(text)
  expect(contentOf(content)).toBeTruthy()
})

test("a file is content, and the src of other elements", () => {
  const shown = file("a.png", {name: "b.png"})
  expect(pathOf(shown[fileSource])).toBe("a.png")
  for (const each of [image(shown), h("audio", {src: shown})]) expect(each[fileSource]).toBe(shown[fileSource])
  expect(card({image: shown}).children).toEqual([image(shown)])
  expect(file(new Uint8Array([1]), {name: "a.txt", type: "text/plain"})).toEqual({
    ...h("file", {title: "a.txt", type: "text/plain"}),
    [fileSource]: new Uint8Array([1]),
  })
  expect(renderContent(JSON.parse(JSON.stringify(shown)))).toBe("<file/>")
})

test("a path without file, and a colour by its name, are refused", () => {
  expect(() => image("a.png")).toThrow(TypeError)
  expect(() => card({image: "a.png"})).toThrow(TypeError)
  expect(() => card({colour: "#red" as "#ff0000"})).toThrow(TypeError)
})
