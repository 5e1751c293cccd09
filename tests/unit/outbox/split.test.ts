import {describe, expect, test} from "vitest"
import {changesOf} from "../../../server/outbox/acting.ts"
import {splitContent} from "../../../server/outbox/split/split.ts"
import {h, isElement, type Node, renderContent} from "../../../shared/sdk/content/elements.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"

const split = (content: readonly Node[], limit: number) => splitContent(content, limit).map(part => renderContent(part))

describe("a long message is split", () => {
  test("after a paragraph, line or word in the second half, or else between graphemes", () => {
    expect(split(["one two\n\nthree four five"], 12)).toEqual(["one two\n\n", "three four ", "five"])
    expect(split(["one two\nthree four five"], 12)).toEqual(["one two\n", "three four ", "five"])
    expect(split(["one two three"], 7)).toEqual(["one two", " three"])
    expect(split(["one abcdefghijkl"], 10)).toEqual(["one abcdef", "ghijkl"])
    expect(split(["é".normalize("NFD").repeat(4)], 5)).toEqual([
      "é".normalize("NFD").repeat(2),
      "é".normalize("NFD").repeat(2),
    ])
    expect(split(["👨‍👩‍👧‍👦👨‍👩‍👧‍👦"], 15)).toEqual(["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"])
    expect(split([h("p", "one"), h("p", "two"), h("p", "three")], 8)).toEqual(["<p>one</p><p>two</p>", "<p>three</p>"])
  })

  test("around indivisible elements, which go alone if they are longer", () => {
    const ann = h("at", {id: "1", name: "ann"})
    expect(split(["hello ", ann, " and good morning"], 9)).toEqual([
      "hello ",
      '<at id="1" name="ann"/> and ',
      "good ",
      "morning",
    ])
    expect(split(["a", h("img", {src: "https://example.org/long.png"}), "b"], 8)).toEqual([
      "a",
      '<img src="https://example.org/long.png"/>',
      "b",
    ])
    const link = h("a", {href: "http://x"}, "see here")
    expect(split(["go and ", link], 20)).toEqual(["go and ", '<a href="http://x">see here</a>'])
  })

  test("inside formatting, which is closed and reopened", () => {
    expect(split([h("b", "one ", h("i", "two three"), " four")], 8)).toEqual([
      "<b>one <i>two </i></b>",
      "<b><i>three</i> </b>",
      "<b>four</b>",
    ])
    const twice = h("b", "12345")
    expect(split([twice, twice], 5)).toEqual(["<b>12345</b>", "<b>12345</b>"])
  })

  test("between the items of a list, whose numbers go on", () => {
    const list = h("ol", {start: 9}, h("li", "one"), "\n", h("li", h("p", "two"), h("p", "three four")), h("li"))
    expect(split([list, "after"], 15)).toEqual([
      '<ol start="9"><li>one</li>\n<li><p>two</p></li></ol>',
      '<ol start="10"><li><p>three four</p></li></ol>',
      '<ol start="11"><li/></ol>after',
    ])
  })

  test("between the rows of a table, which repeats its header", () => {
    const row = (...cells: string[]) => h("tr", {}, ...cells.map(cell => h("td", cell)))
    const header = h("tr", h("th", "No"), h("th", "Name"))
    const parts = splitContent([h("table", header, row("1", "Ann"), row("2", "Bob"), row("3", "Eve"))], 40)
    expect(parts).toEqual([
      [h("table", header, row("1", "Ann"), row("2", "Bob"))],
      [h("table", header, row("3", "Eve"))],
    ])
    const long = splitContent(
      [h("table", header, row("1", "Ann Bob Eve"), row("2", "has a long name, which is cut"))],
      40,
    )
    expect(long.map(part => textOf(part))).toEqual([
      "No  Name\n--  -----------\n1   Ann Bob Eve",
      "No  Name\n--  ----------\n2   has a long",
      "No  Name\n--  -----------\n    name, which",
      "No  Name\n--  ------\n    is cut",
    ])
  })

  test("inside code and quoted text, behind a line", () => {
    expect(split([h("blockquote", h("p", "one"), "\n", h("pre", {lang: "ts"}, "two\nthree\nfour\n"))], 18)).toEqual([
      '<blockquote><p>one</p>\n<pre lang="ts">two\n</pre></blockquote>',
      '<blockquote><pre lang="ts">three\nfour\n</pre></blockquote>',
    ])
  })

  test("with its quote and its author in the first part", () => {
    const quote = h("quote", {id: "7"}, "something very long that was said before")
    expect(split(["one two ", quote, "three"], 8)).toEqual([`${renderContent(quote)}one two `, "three"])
    expect(split([quote], 8)).toEqual([renderContent(quote)])
  })

  test("of white space alone into as much as the platform accepts", () => {
    expect(split([" ".repeat(100)], 40)).toEqual([" ".repeat(40)])
    expect(split(["\n".repeat(80)], 40)).toEqual(["\n".repeat(40)])
  })

  test("without parts of white space, and inside a single grapheme longer than a part", () => {
    expect(split([`one${" ".repeat(20)}two`], 5).map(part => part.trim())).toEqual(["one", "two"])
    const zalgo = `a${"\u0301".repeat(20)}`
    expect(split([zalgo], 8).map(part => part.length)).toEqual([8, 8, 5])
    expect(split(["😀😀"], 1)).toEqual(["😀", "😀"])
  })
})

const numbersOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = [
  "a",
  "bot ",
  "\n",
  "\n\n",
  "héllo",
  "👨‍👩‍👧‍👦",
  "e\u0301",
  "日本語",
  "🇩🇪",
  ", ",
  "long-word-without-end",
  "\r\n",
  "नमस्ते",
]
const marks = "b i code spl p weird ul li blockquote pre h2 table tr td card".split(" ")

const anyNodes = (next: (below: number) => number, depth = 0): readonly Node[] =>
  Array.from({length: 1 + next(5)}, (): Node => {
    const kind = next(depth > 2 ? 7 : 10)
    if (kind === 5) return h("at", {id: String(next(9)), name: "ann"})
    if (kind === 6) return next(2) === 0 ? h("img", {src: "x.png"}) : h("br")
    if (kind === 7) return h("a", {href: "http://x"}, ...anyNodes(next, depth + 1))
    if (kind > 7) return h(marks[next(marks.length)] ?? "b", {}, ...anyNodes(next, depth + 1))
    return Array.from({length: 1 + next(6)}, () => words[next(words.length)] ?? "").join("")
  })

/** The spoken text, without the text that elements add around it; each indivisible element counts with its own text. */
const saidBy = (nodes: readonly Node[]): string =>
  nodes
    .map(node =>
      typeof node === "string"
        ? node
        : node.children.length > 0
          ? saidBy(node.children)
          : ["br", "td"].includes(node.type)
            ? "\n"
            : `<${node.type}>`,
    )
    .join("")

const visible = (text: string): string => text.replace(/\s/g, "")

const typesOf = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap(node => (isElement(node) ? (node.children.length > 0 ? typesOf(node.children) : [node.type]) : []))

test("the parts are complete, in order and within the limit, and cut no grapheme or element", () => {
  const segmenter = new Intl.Segmenter(undefined, {granularity: "grapheme"})
  for (let seed = 1; seed <= 600; seed++) {
    const next = numbersOf(seed)
    const content = Array.from({length: 1 + next(6)}, () => anyNodes(next)).flat()
    // A family emoji is 11 long, and each of four nested links adds 11: a lower limit would force a longer part.
    const limit = 60 + next(60)
    const parts = splitContent(content, limit)
    const said = saidBy(content)
    expect(visible(parts.map(saidBy).join("")), `seed ${seed}`).toBe(visible(said))
    for (const part of parts) expect(textOf(part).length, `seed ${seed}`).toBeLessThanOrEqual(limit)
    const elements = (types: readonly string[]) => types.filter(type => type === "at" || type === "img")
    expect(elements(parts.flatMap(typesOf)), `seed ${seed}`).toEqual(elements(typesOf(content)))
    const borders = new Set([...segmenter.segment(visible(said))].map(({index}) => index))
    let end = 0
    for (const part of parts.slice(0, -1)) {
      end += visible(saidBy(part)).length
      expect(borders.has(end), `seed ${seed}: a cut at ${end}`).toBe(true)
    }
  }
})

test("a long message is split in linear time", () => {
  const long = Array.from({length: 20_000}, (_, n) => (n % 2 === 0 ? "some words " : h("b", "loud ")))
  const start = performance.now()
  expect(splitContent(long, 200).length).toBeGreaterThan(700)
  expect(performance.now() - start).toBeLessThan(10_000)
})

test("an edit changes existing parts, sends new ones, and deletes superfluous ones", () => {
  expect(changesOf(["1", "2"], [["a"], ["b"], ["c"]])).toEqual([
    {do: "edit", message: "1", content: ["a"]},
    {do: "edit", message: "2", content: ["b"]},
    {do: "send", content: ["c"]},
  ])
  expect(changesOf(["1", "2", "3"], [["a"]])).toEqual([
    {do: "edit", message: "1", content: ["a"]},
    {do: "delete", message: "2"},
    {do: "delete", message: "3"},
  ])
})
