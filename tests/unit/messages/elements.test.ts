import {describe, expect, test} from "vitest"
import {type Element, h, type Node, renderContent} from "../../../shared/sdk/content/elements.ts"
import {parseContent} from "../../../shared/sdk/content/parse-content.ts"
import {textOf, writtenText} from "../../../shared/sdk/content/text.ts"
import {Chance} from "../../support/machine/chance.ts"

const types = ["at", "sharp", "a", "img", "b", "i", "p", "message", "quote", "button", "x-own.thing", "ns:tag"]
const texts = ["plain", "a < b & c > d", '"quoted"', "it's", "&amp;lt;", "</b>", "<3", "日本語 🙂", "line\nbreak", " "]

const randomTree = (chance: Chance, depth: number): Node[] => {
  const nodes: Node[] = []
  for (let n = Math.floor(chance.next() * 4); n >= 0; n--) {
    const isText = typeof nodes.at(-1) !== "string" && chance.next() < 0.5
    if (isText) nodes.push(chance.pick(texts))
    else nodes.push(randomElement(chance, depth))
  }
  return nodes
}

const randomElement = (chance: Chance, depth: number): Element => {
  const attrs: Record<string, string | boolean> = {}
  if (chance.next() < 0.5) attrs.id = chance.pick([...texts, ""])
  if (chance.next() < 0.3) attrs.flag = chance.next() < 0.5
  return {type: chance.pick(types), attrs, children: depth > 5 ? [] : randomTree(chance, depth + 1)}
}

describe("rendering and parsing returns the same tree", () => {
  test("for 500 random trees", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const tree = randomTree(new Chance(seed), 0)
      expect(parseContent(renderContent(tree)), `seed ${seed}`).toEqual(tree)
    }
  })

  test.each(texts)("for the text %j, which cannot become an element", text => {
    expect(parseContent(renderContent(text))).toEqual([text])
    expect(textOf(parseContent(renderContent(text)))).toBe(text)
  })

  test("except that numbers become text", () => {
    expect(parseContent(renderContent(h("img", {width: 3})))).toEqual([
      {type: "img", attrs: {width: "3"}, children: []},
    ])
  })
})

describe("markup", () => {
  test.each<[string, readonly Node[]]>([
    ["", []],
    ["text", ["text"]],
    ["<b>bold</b> and <i>more</i>", [h("b", "bold"), " and ", h("i", "more")]],
    ["<br/>", [h("br")]],
    ["<br />", [h("br")]],
    ["<at id=\"1\" name='Ann'/>", [h("at", {id: "1", name: "Ann"})]],
    ["<a href=http://x.example/y>z</a>", [h("a", {href: "http://x.example/y"}, "z")]],
    ['<a\n  href = "x"\n>z</a >', [h("a", {href: "x"}, "z")]],
    ["<x-button disabled no-primary>", [h("x-button", {disabled: true, primary: false})]],
    ['<at name=""/>', [h("at", {name: ""})]],
    ['<at name="a > b"/>', [h("at", {name: "a > b"})]],
    ["one <!-- two --> three", ["one  three"]],
    ["<unknown-thing.v2><ns:own>x</ns:own></unknown-thing.v2>", [h("unknown-thing.v2", h("ns:own", "x"))]],
    ['<p __proto__="1"/>', [{type: "p", attrs: Object.fromEntries([["__proto__", "1"]]), children: []}]],
  ])("%j", (content, tree) => expect(parseContent(content)).toEqual(tree))

  test.each<[string, readonly Node[]]>([
    ["<b>open", [h("b", "open")]],
    ["<b><i>open</b> after", [h("b", h("i", "open")), " after"]],
    ["</b>after", ["after"]],
    ["<b></i>x</b>", [h("b", "x")]],
  ])("that is not closed ends with its parent: %j", (content, tree) => expect(parseContent(content)).toEqual(tree))

  test.each([
    "I <3 you",
    "a < b",
    "a <",
    "<",
    "<<<<",
    "<>",
    "< b>",
    "<b",
    '<b title="x',
    "<user@host.example>",
    "<!-- not closed",
    "<!doctype html>",
    "<?xml?>",
    "<![CDATA[x]]>",
    "<日本>",
  ])("that is invalid is text: %j", content => expect(parseContent(content)).toEqual([content]))
})

describe("entities", () => {
  test.each([
    ["&lt;&gt;&amp;&quot;&apos;", "<>&\"'"],
    ["&AMP;", "&"],
    ["&#65;&#x42;&#X1F642;", "AB🙂"],
    ["&amp;lt;", "&lt;"],
    ["&&lt;amp;", "&<amp;"],
    ["&&#97;mp;", "&amp;"],
    ["&nbsp; &unknown; & &; &#; &#x; &lt", "&nbsp; &unknown; & &; &#; &#x; &lt"],
    ["&#0; &#xD800; &#x110000; &#99999999;", "&#0; &#xD800; &#x110000; &#99999999;"],
  ])("%j is %j", (content, text) => expect(parseContent(content)).toEqual([text]))

  test("are decoded in attributes too", () => {
    expect(parseContent('<at name="&quot;A&quot; &amp; B"/>')).toEqual([h("at", {name: '"A" & B'})])
  })
})

const depthOf = (nodes: readonly Node[]): number =>
  nodes.reduce((most, node) => Math.max(most, typeof node === "string" ? 0 : 1 + depthOf(node.children)), 0)

describe("bad input of 1 MB takes linear time, and loses no text:", () => {
  const size = 1_000_000
  const filled = (unit: string) => unit.repeat(Math.floor(size / unit.length))

  test.each([
    "<",
    "<<a ",
    "&",
    "&#",
    '<a "',
    "<a '\"",
    "<a b='\"'\"'",
    "<!--",
    "</",
    "<?",
    "<![CDATA[",
    '<a b="c" ',
    "<a \t",
  ])("%j repeated", unit => expect(textOf(parseContent(filled(unit)))).toBe(filled(unit).replaceAll("-->", "")))

  test("elements nested deeper than 32 levels", () => {
    const tree = parseContent(`${filled("<b>").slice(0, 300_000)}deep${filled("</b>").slice(0, 400_000)}after`)
    expect(depthOf(tree)).toBe(32)
    expect(textOf(tree)).toBe("deepafter")
    expect(tree.at(-1)).toBe("after")
  })

  test("unclosed elements, and end tags without a start", () => {
    const tree = parseContent(`${"<a>".repeat(150_000)}${"</b>".repeat(150_000)}text`)
    expect(depthOf(tree)).toBe(32)
    expect(textOf(tree)).toBe("text")
  })

  test("endless attributes", () => {
    expect(parseContent(`<a ${'""'.repeat(400_000)}>x`)).toEqual([h("a", {}, "x")])
    const [element] = parseContent(`<x-a ${"b=c ".repeat(200_000)}>x`)
    expect(element).toEqual(h("x-a", {b: "c"}, "x"))
    expect(parseContent(`<x-a b${" ".repeat(900_000)}>x`)).toEqual([h("x-a", {b: true}, "x")])
  })
})

describe("the plain text of a tree", () => {
  test.each<[readonly Node[], string]>([
    [[h("at", {id: "1", name: "Ann"}), " hello"], "@Ann hello"],
    [[h("at", {type: "all"})], "@all"],
    [[h("sharp", {id: "c"})], "#c"],
    [[h("a", {href: "https://x.example"}, "here")], "here (https://x.example)"],
    [[h("a", {href: "https://x.example"}, "https://x.example")], "https://x.example"],
    [[h("a", {href: "https://x.example"})], "(https://x.example)"],
    [[h("img", {src: "https://x.example/i.png"})], "[img] https://x.example/i.png"],
    [[h("file", {src: "https://x.example/f", title: "f.txt"})], "[f.txt] https://x.example/f"],
    [[h("p", "one"), h("p", "two")], "one\ntwo"],
    [["one", h("br"), "two"], "one\ntwo"],
    [[h("quote", {id: "1"}, "what was said"), "an answer"], "an answer"],
    [[h("x-unknown", h("x-more", "text"))], "text"],
  ])("%j", (tree, text) => expect(textOf(tree)).toBe(text))
})

describe("the content of a user's message:", () => {
  test.each<[string, string]>([
    ['/pic <file src="https://x.example/f" title="a.txt"/>', "/pic "],
    ['<img src="https://x.example/i.png"/>', ""],
    ['<img src="https://x.example/i.png"/>/pic<audio src="a"/><video src="v" title="v"/>', "/pic"],
    ['<img src="https://x.example/i.png">not closed', "not closed"],
    ['see <a href="https://x.example">here</a>', "see here"],
    ['<a href="https://x.example"/>', "https://x.example"],
    ['<a href="https://x.example"><img src="i.png"/></a>', "https://x.example"],
    ['<at id="1" name="Ann"/> in <sharp id="c"/>', "@Ann in #c"],
    ["<p>one</p><p>two<br/>three</p>", "one\ntwo\nthree"],
    ['<quote id="1">/said<img src="i"/></quote>an answer', "an answer"],
    ["<unknown><more>text</more></unknown>", "text"],
  ])("in %j is %j", (content, text) => expect(writtenText(parseContent(content))).toBe(text))
})
