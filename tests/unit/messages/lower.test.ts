import {describe, expect, test} from "vitest"
import type {Block} from "../../../shared/sdk/content/blocks.ts"
import {type Content, h} from "../../../shared/sdk/content/elements.ts"
import {lower} from "../../../shared/sdk/content/lower.ts"
import {textOf, writtenText} from "../../../shared/sdk/content/text.ts"

const item = (...children: Parameters<typeof h<"li">>[2][]) => h("li", {}, ...children)
const row = (...cells: string[]) => h("tr", {}, ...cells.map(cell => h("td", cell)))

const stock = h(
  "table",
  h("tr", h("th", "Fruit"), h("th", {align: "right"}, "Price"), h("th", {align: "center"}, "Sold")),
  row("Apple", "1", "yes"),
  h("tr", h("td", h("b", "日本\n茶")), h("td", "12.50")),
)

const card = h(
  "card",
  {title: "Build 7", href: "https://x.example/7", colour: "#ff0000"},
  "It failed.",
  h("card-field", {title: "Branch", inline: true}, h("code", "main")),
  h("card-field", {title: "Took"}, h("ul", item("5 s"))),
  h("img", {src: "https://x.example/i.png", title: "log"}),
  h("button", {id: "again"}, "Again"),
)

describe("the text of", () => {
  test.each<[string, Content, string]>([
    ["a heading and a paragraph", [h("h2", "Title"), h("p", "text")], "Title\ntext"],
    ["a block within a line", ["a", h("p", "b"), "c"], "a\nb\nc"],
    ["a block of code", ["a", h("pre", {lang: "ts"}, "1\n\n2\n"), "b"], "a\n1\n\n2\nb"],
    ["a line across", ["a", h("hr"), "b"], "a\n———\nb"],
    ["a list", h("ul", item("one"), item("two\nlines")), "- one\n- two\n  lines"],
    ["a numbered list", h("ol", {start: 9}, item("nine"), "\n", item("ten")), "9. nine\n10. ten"],
    ["nested lists", h("ul", item("a", h("ol", item("b", h("ul", item("c"))))), item()), "- a\n  1. b\n    - c\n-"],
    ["a list in a list", h("ul", item(h("ul", item("a"), item("b")))), "- - a\n  - b"],
    ["quoted text", h("blockquote", h("p", "a"), "\n", h("p", h("b", "b\nc"))), "> a\n>\n> b\n> c"],
    ["a list in quoted text", h("blockquote", "a", h("ul", item("b\nc"))), "> a\n> - b\n>   c"],
    ["quoted text in a list", h("ol", item(h("blockquote", "a\nb"))), "1. > a\n  > b"],
    ["a table", stock, "Fruit    Price  Sold\n-------  -----  ----\nApple        1  yes\n日本 茶  12.50"],
    [
      "a card",
      [card, "after"],
      "Build 7 (https://x.example/7)\nIt failed.\nBranch: main\nTook:\n- 5 s\n[log] https://x.example/i.png\nAgain\nafter",
    ],
    ["a card without title", h("card", "a", h("card-field", {title: "b"}, "c")), "a\nb: c"],
    ["no text in a paragraph", ["a", h("p"), "b"], "a\n\nb"],
  ])("%s", (_, content, text) => expect(textOf(content)).toBe(text))

  test("a message that a bot reads has no files", () =>
    expect(writtenText(["a", card])).toBe("a\nBuild 7\nIt failed.\nBranch: main\nTook:\n- 5 s\nAgain"))
})

describe("content for a platform with", () => {
  const lowered = (content: Content, ...has: Block[]) => lower(content, {has})

  test("a block of code only", () => {
    expect(lowered(["a", stock, h("h1", "b")], "pre")).toEqual(["a\n", h("pre", textOf(stock)), "\n", h("b", "b")])
    expect(lowered(h("ul", item(h("p", "a"), h("pre", "1\n2"), h("pre", "3")), item(h("pre", "4"))), "pre")).toEqual([
      "- a\n",
      h("pre", "1\n2"),
      "\n",
      h("pre", "3"),
      "\n-\n",
      h("pre", "4"),
    ])
  })

  test("quoted text only", () =>
    expect(lowered(["a", h("blockquote", h("p", "b"), h("ul", item("c"))), "d"], "blockquote")).toEqual([
      "a\n",
      h("blockquote", "b\n- c"),
      "\nd",
    ]))

  test("lists keeps what is in them", () =>
    expect(lowered(h("ul", item(h("p", "a"), h("hr")), item("b")), "ul")).toEqual([h("ul", item("a\n———"), item("b"))]))

  test("paragraphs gets no line ends", () =>
    expect(lowered(["a", h("h1", "b"), h("p", "c"), h("hr"), h("ul", item("d"), item("e"))], "p")).toEqual([
      "a",
      h("p", h("b", "b")),
      h("p", "c"),
      h("p", "———"),
      h("p", "- d\n- e"),
    ]))

  test("everything but cards", () =>
    expect(lowered(card, "p", "ul")).toEqual([
      h("p", h("b", h("a", {href: "https://x.example/7"}, "Build 7"))),
      "It failed.",
      h("p", h("b", "Branch:"), " ", h("code", "main")),
      h("p", h("b", "Took:"), h("ul", item("5 s"))),
      h("p", h("img", {src: "https://x.example/i.png", title: "log"})),
      h("p", h("button", {id: "again"}, "Again")),
    ]))

  test("no block keeps files, buttons and the answered message beside the text", () => {
    const [file, quote, button] = [
      h("img", {src: "a"}),
      h("quote", {id: "1"}, h("p", "q")),
      h("button", {id: "b"}, "B"),
    ]
    expect(lowered([quote, file, h("p", "a"), h("p", button)])).toEqual([quote, file, "a\n", button])
  })

  test("no files and no buttons has their text, and links", () => {
    const content = [h("p", h("img", {src: "https://a.example/"})), h("button", {href: "https://b.example/"}, "B"), "c"]
    expect(lower(content, {has: [], shows: () => false})).toEqual([
      "[img] https://a.example/\n",
      h("a", {href: "https://b.example/"}, "B"),
      "c",
    ])
    expect(lower(content, {has: [], shows: ({type}) => type === "img"})[0]).toEqual(
      h("img", {src: "https://a.example/"}),
    )
    expect(textOf(content)).toBe("[img] https://a.example/\nB (https://b.example/)c")
  })

  test("lists has only items in them", () =>
    expect(lowered(h("ol", "\n", "a", item("b"), h("b", "c")), "ol")).toEqual([
      h("ol", item("a"), item("b"), item(h("b", "c"))),
    ]))

  test("marks before the format of a line", () =>
    expect(lowered(h("ul", item(h("b", h("i", "a\nb"))), item(h("b", h("p", "c")))))).toEqual([
      "- ",
      h("b", h("i", "a\n  b")),
      "\n",
      h("b", "- c"),
    ]))

  test("cells of any width", () => {
    const long = "x".repeat(500)
    expect(textOf(h("table", row(long, "a"), row("b", "c")))).toBe(`${long}  a\n${"b".padEnd(40)}  c`)
    expect(textOf(h("table", row("👍🏽", "|"), row("é", "|"), row("一二", "|")))).toBe("👍🏽    |\né     |\n一二  |")
  })

  test("a mark that the author wrote as text keeps being text", () =>
    expect(lowered(h("ul", item("- a\n1. b")))).toEqual(["- - a\n  1. b"]))
})

test("a deep or long tree is lowered in linear time", () => {
  const deep = Array.from({length: 90}).reduce<Content>(
    inner => h("blockquote", ...(Array.isArray(inner) ? inner : [inner as string])),
    "a\n".repeat(500),
  )
  expect(textOf(deep).split("\n")).toHaveLength(500)
  expect(textOf(h("ul", {}, ...Array.from({length: 20_000}, () => item("a"))))).toHaveLength(20_000 * 4 - 1)
})
