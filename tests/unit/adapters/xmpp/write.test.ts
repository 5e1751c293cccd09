import {describe, expect, test} from "vitest"
import {quotedLines, writeContent} from "../../../../server/adapters/xmpp/content/write.ts"
import {h, type Node} from "../../../../shared/sdk/sdk.ts"

const write = (content: readonly Node[], withFiles = false) =>
  writeContent(content, {withFiles, nickOf: id => (id === "team@rooms.localhost/ann" ? "ann" : undefined)})

describe("elements as an XMPP message", () => {
  test.each<[string, Node[], string, boolean]>([
    ["text", ["hello"], "hello", false],
    ["text that clients take for markup", ["*not bold* > _x_"], "*not bold* > _x_", false],
    ["bold and italic", [h("b", "b"), " and ", h("em", "i")], "*b* and _i_", true],
    ["nested", [h("b", "a ", h("i", "b"))], "*a _b_*", true],
    ["spaces at the ends of a span", ["x", h("b", " y "), "z"], "x *y* z", true],
    ["a span of two lines", [h("s", "a", h("br"), "b")], "~a~\n~b~", true],
    ["an empty span", [h("b", " ")], "", false],
    ["code", [h("code", "a b")], "`a b`", true],
    ["a block of code", [h("code", "a\nb")], "```\na\nb\n```", true],
    ["markup beside text that could be taken for it", [h("b", "b"), " *c*"], "b *c*", false],
    ["markup with a mark inside", [h("b", "2*3")], "2*3", false],
    ["a line that starts like a quotation", [h("b", "b"), "\n> no"], "b\n> no", false],
    ["paragraphs", [h("p", "a"), h("p", "b")], "a\nb", false],
    ["a link", [h("a", {href: "https://a.example"}, "here")], "here (https://a.example)", false],
    ["somebody in the room", [h("at", {id: "team@rooms.localhost/ann"}), ": hi"], "ann: hi", false],
    ["somebody elsewhere", [h("at", {id: "x@y", name: "Xe"}), " hi"], "@Xe hi", false],
    ["an unknown element", [h("spl", "hidden"), h("x-custom", {a: 1}, "x")], "hiddenx", false],
  ])("%s", (_, content, body, isStyled) => {
    const written = write(content)
    expect(written.body.trimEnd()).toBe(body)
    if (body !== "") expect(written.isStyled).toBe(isStyled)
  })

  test("put files into their own messages, but keep them in the text of an edit", () => {
    const content = ["see ", h("img", {src: "https://up.example/a.png", title: "a.png"})]
    expect(write(content)).toMatchObject({body: "see ", files: [{attrs: {src: "https://up.example/a.png"}}]})
    expect(write(content, true)).toMatchObject({body: "see [a.png] https://up.example/a.png", files: []})
  })

  test("make a quote the answered message, not text", () => {
    expect(write([h("quote", {id: "m1"}, "what?"), "yes"])).toMatchObject({
      body: "yes",
      quote: {id: "m1", text: "what?"},
    })
  })

  test("repeat at most five lines of the answered message", () => {
    expect(quotedLines("1\n2\n3\n4\n5\n6")).toBe("> 1\n> 2\n> 3\n> 4\n> 5\n")
    expect(quotedLines("")).toBe("")
  })
})
