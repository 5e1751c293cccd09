import {describe, expect, test} from "vitest"
import {contentOf, messageDraft} from "../../../server/outbox/draft.ts"
import {elementsOf} from "../../../server/outbox/markdown/tree.ts"
import {readMarkdown} from "../../../server/outbox/read-markdown.ts"
import {h, isElement, type Node, renderContent} from "../../../shared/sdk/content/elements.ts"
import {b, markdown} from "../../../shared/sdk/content/shorthands.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"

const rendered = (text: string): string => renderContent(elementsOf(text))

describe("Markdown becomes", () => {
  test.each<[string, string]>([
    ["*a* **b** ~~c~~ `d`", "<i>a</i> <b>b</b> <s>c</s> <code>d</code>"],
    ["a\n\nb\\\nc", "<p>a</p>\n<p>b<br/>c</p>"],
    ["# a\n### b\n***", "<h1>a</h1>\n<h3>b</h3>\n<hr/>"],
    ["> a\n> > b", "<blockquote><p>a</p>\n<blockquote><p>b</p></blockquote></blockquote>"],
    ["```ts x\n<a>\n\n```", '<pre lang="ts">&lt;a&gt;\n</pre>'],
    ["- a\n- b\n  1. c", '<ul><li>a</li><li>b<ol start="1"><li>c</li></ol></li></ul>'],
    ["3. a\n\n   b\n4. c", '<ol start="3"><li><p>a</p>\n<p>b</p></li><li>c</li></ol>'],
    ["- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"],
    ["|a|b|\n|-|:-:|\n|*c*|", '<table><tr><th>a</th><th align="center">b</th></tr><tr><td><i>c</i></td></tr></table>'],
    [
      "[a *b*](https://e.org/x) www.e.org me@e.org",
      '<a href="https://e.org/x">a <i>b</i></a> <a href="http://www.e.org">www.e.org</a> <a href="mailto:me@e.org">me@e.org</a>',
    ],
    [
      "[a] [b][A]\n\n[a]: http://e.org\n[a]: http://other.org",
      '<p><a href="http://e.org">a</a> <a href="http://e.org">b</a></p>',
    ],
    [
      "![a](https://e.org/i.png) ![](https://e.org/i.png)",
      '<a href="https://e.org/i.png">a</a> <a href="https://e.org/i.png">https://e.org/i.png</a>',
    ],
    ["", ""],
  ])("%j", (text, content) => expect(rendered(text)).toBe(content))
})

describe("Markdown makes nothing unsafe of", () => {
  test.each<[string, string]>([
    ['<b>a</b> <at id="all"/>', "&lt;b&gt;a&lt;/b&gt; &lt;at id=&quot;all&quot;/&gt;"],
    ["<script>\nx\n</script>", "<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>"],
    ["a<br>b", "a<br/>b"],
    ["[a](javascript:x) [b](data:,x) [c](/d) [e](//f.org) <ftp://g.org>", "a b c e ftp://g.org"],
    ["[a](<https://e.org/ x>)", "a"],
    ["![a](file:///etc/passwd)", "a"],
    ["[@a](https://matrix.to/#/@a:e.org) [![a](https://e.org/i)](https://e.org)", '@a <a href="https://e.org">a</a>'],
    ["@everyone <@1> [x](mailto:a@e.org)", '@everyone &lt;@1&gt; <a href="mailto:a@e.org">x</a>'],
  ])("%j", (text, content) => expect(rendered(text)).toBe(content))
})

const typesOf = (nodes: readonly Node[]): readonly string[] =>
  nodes.filter(isElement).flatMap(({type, children}) => [type, ...typesOf(children)])

const depthOf = (nodes: readonly Node[]): number =>
  Math.max(0, ...nodes.map(node => (isElement(node) ? 1 + depthOf(node.children) : 0)))

const size = 64 * 1024
const filled = (unit: string) => unit.repeat(size / unit.length + 1).slice(0, size)
const indented = (depth: number) => Array.from({length: depth}, (_, n) => `${"  ".repeat(n)}- a`).join("\n")

describe("a hostile text is read in linear time:", () => {
  test.each(["[", ">", "`", "a*", "[[a]", "1. ", "\t", "a\n\n"].map(unit => [unit, filled(unit)] as const))(
    "%j",
    (_, text) => {
      const start = process.cpuUsage().user
      const nodes = elementsOf(text)
      // Measured: at most 0.8 s.
      expect((process.cpuUsage().user - start) / 1e6).toBeLessThan(8)
      expect(depthOf(nodes)).toBeLessThan(30)
    },
  )

  test("many lists in lists", () => expect(depthOf(elementsOf(indented(250)))).toBeLessThan(60))

  test("short references to a long address", () => {
    const text = `${"[a]".repeat(1000)}\n\n[a]: https://e.org/${"x".repeat(20_000)}`
    expect(renderContent(elementsOf(text)).length).toBeLessThan(200_000)
  })
})

test("what a limit cuts off is text, and an honest paragraph reaches none", () => {
  const bold = "**a** ".repeat(45)
  expect(typesOf(elementsOf(bold)).filter(type => type === "b")).toHaveLength(45)
  expect(textOf(elementsOf(`${"> ".repeat(40)}a`)).replaceAll(/[> \u200B]/g, "")).toBe("a")
})

describe("content with Markdown", () => {
  test("is stored as elements, wherever it stands", async () => {
    const to = {endpoint: "a", channel: "b"}
    const draft = await readMarkdown(messageDraft(to, ["x ", markdown("*y*"), h("card", markdown("- z")), b("w")]))
    expect(draft.content).toEqual(["x ", h("i", "y"), h("card", h("ul", h("li", "z"))), b("w")])
    const plain = messageDraft(to, ["x", b("w")])
    expect(await readMarkdown(plain)).toBe(plain)
  })

  test.each([[h("markdown")], [h("markdown", "a", "b")], [h("markdown", b("a"))], [markdown("a".repeat(size + 1))]])(
    "is refused if it is not one text of 64 KiB",
    content => expect(() => contentOf(content)).toThrow(expect.objectContaining({code: "content_invalid"})),
  )
})
