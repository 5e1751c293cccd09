import {expect, test} from "vitest"
import {buttonIdOf, contentOf, linkOf, toContent} from "../../../../server/adapters/satori/content.ts"
import {h} from "../../../../shared/sdk/sdk.ts"

const proxies = ["https://files.example/"]

test.each([
  ["text stays as it is", "a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"],
  ["elements stay as they are", '<at id="1"/> <quote id="2">x</quote>', '<at id="1"/> <quote id="2">x</quote>'],
  ["public addresses", '<img src="https://a.example/1.png"/>', '<img src="https://a.example/1.png"/>'],
  ["an internal link", '<img src="internal:p/u/x"/>', '<img src="satori:internal:p/u/x"/>'],
  [
    "an address behind the proxy",
    "<file src='https://files.example/1'/>",
    "<file src='satori:https://files.example/1'/>",
  ],
  ["the words of the first drafts", '<image url="internal:p/u/x"/>', '<img src="satori:internal:p/u/x"/>'],
  ["a link in text is no file", "see internal:p/u/x", "see internal:p/u/x"],
  ["a link that is no file's", '<a href="internal:p/u/x"/>', '<a href="internal:p/u/x"/>'],
  [
    "a tag in a text of an attribute",
    '<file title="<img src=" src="internal:p/u/x"/>',
    '<file title="<img src=" src="internal:p/u/x"/>',
  ],
])("incoming content: %s", (_, content, expected) => expect(contentOf({id: "1", content}, proxies)).toBe(expected))

test.each([
  [{id: "1", content: "yes", quote: {id: 'a"b'}}, '<quote id="a&quot;b"/>yes'],
  [{id: "1", content: "yes", quote: {message_id: "7"}}, '<quote id="7"/>yes'],
  [{id: "1", content: '<quote id="7"/>yes', quote: {id: "7"}}, '<quote id="7"/>yes'],
  [{id: "1", content: "yes", quote: "7"}, "yes"],
  [{id: "1"}, ""],
])("a quoted message comes first: %j", (message, expected) => expect(contentOf(message, proxies)).toBe(expected))

test("long content with unclosed tags takes linear time", () => {
  const content = '<img "'.repeat(200_000)
  const began = performance.now()
  expect(contentOf({content}, proxies)).toBe(content)
  expect(performance.now() - began).toBeLessThan(2000)
})

test("outgoing content is escaped, with the server's links and button ids that no Host takes for its own", () => {
  const id = "01890a5d-ac96-774b-bcce-b302099a8057:1"
  const nodes = [
    "<b>no markup</b>",
    h("img", {src: "satori:internal:p/u/x", title: 'a "b"'}),
    h("p", h("button", {id}, "Go")),
    h("a", {href: "satori:x"}),
  ]
  expect(toContent(nodes)).toBe(
    "&lt;b&gt;no markup&lt;/b&gt;" +
      '<img src="internal:p/u/x" title="a &quot;b&quot;"/>' +
      `<p><button id="s:${id}">Go</button></p><a href="satori:x"/>`,
  )
  expect(buttonIdOf(`s:${id}`)).toBe(id)
  expect(buttonIdOf("other")).toBe("other")
  expect(linkOf("https://a.example/")).toBeUndefined()
})
