import {describe, expect, test} from "vitest"
import {nodesOfHtml, nodesOfMessage} from "../../../../server/adapters/matrix/format/incoming.ts"
import {isLink, namedBy} from "../../../../server/adapters/matrix/format/links.ts"
import {contentOf, quoteIn, replacing, textOfContent} from "../../../../server/adapters/matrix/format/outgoing.ts"
import {h, type Node, renderContent, textOf} from "../../../../shared/sdk/sdk.ts"

const self = {id: "@bot:example.org", name: "The Bot"}
const elements = (html: string) => renderContent(nodesOfHtml(html, self))

describe("incoming HTML", () => {
  test.each([
    ["plain", "plain"],
    ["<b>a</b> <strong>b</strong> <em>c</em> <del>d</del>", "<b>a</b> <b>b</b> <i>c</i> <s>d</s>"],
    ["<p>one</p>\n<p>two</p>", "<p>one</p><p>two</p>"],
    ["<p>alone</p>", "alone"],
    ["a<br/>b<br>c", "a<br/>b<br/>c"],
    ["a  \n b", "a b"],
    ["<pre><code>a\n  b</code></pre>", "<code>a\n  b</code>"],
    ["<h2>Title</h2>text", "<p><b>Title</b></p>text"],
    ["<ul><li>a</li><li><p>b</p></li></ul>", "<p>- a</p><p>- b</p>"],
    ['<ol start="3"><li>a</li><li>b</li></ol>', "<p>3. a</p><p>4. b</p>"],
    ["<blockquote>said</blockquote>no", "<p>&gt; said</p>no"],
    ['<a href="https://example.org/?a=1&amp;b">x</a>', '<a href="https://example.org/?a=1&amp;b">x</a>'],
    ["<span data-mx-spoiler>secret</span>", "<spl>secret</spl>"],
    ['<img data-mx-emoticon src="mxc://a/b" alt=":wave:">', ":wave:"],
    ['<img src="mxc://a/b" alt="cat">', '<img src="mxc://a/b" title="cat"/>'],
    ['<img src="https://evil.example/x.png" alt="cat">', "cat"],
    ["<mx-reply><blockquote>old</blockquote></mx-reply>new", "new"],
  ])("%s", (html, expected) => expect(elements(html)).toBe(expected))

  test.each([
    ['<a href="https://matrix.to/#/@ann:example.org">Ann</a>', '<at id="@ann:example.org" name="Ann"/>'],
    [
      '<a href="https://matrix.to/#/%40bot%3Aexample.org">whatever</a>: hi',
      '<at id="@bot:example.org" name="The Bot"/>: hi',
    ],
    ['<a href="matrix:u/ann:example.org">@Ann</a>', '<at id="@ann:example.org" name="Ann"/>'],
    ['<a href="https://matrix.to/#/%23room%3Aexample.org">#room</a>', '<sharp id="#room:example.org" name="room"/>'],
  ])("names users and rooms: %s", (html, expected) => expect(elements(html)).toBe(expected))

  test.each([
    ["<script>alert(1)</script>a", "a"],
    ["<style>b{}</style>a", "a"],
    ['<a href="javascript:alert(1)">x</a>', "<span>x</span>"],
    ['<a href="data:text/html,x">x</a>', "<span>x</span>"],
    ["<at id='@all'/>x", "x"],
    ["<button id='b'>x</button>", "x"],
    ["&lt;b&gt;not bold&lt;/b&gt;", "&lt;b&gt;not bold&lt;/b&gt;"],
    ["1 < 2 && 3 > 2 <", "1 &lt; 2 &amp;&amp; 3 &gt; 2 &lt;"],
    ["<b>open", "<b>open</b>"],
    ["a</b>b", "ab"],
    ["<b><i>x</b>y", "<b><i>x</i></b>y"],
    ["&#0;&#xd800;&#x41;", "&amp;#0;&amp;#xd800;A"],
    ['<b title="', '&lt;b title="'.replace('"', "&quot;")],
    ["<!-- hidden -->x", "x"],
    ["<!-- open", "&lt;!-- open"],
  ])("is safe when hostile: %s", (html, expected) => expect(elements(html)).toBe(expected))

  test("takes time linear in its length, however deep and broken it is", () => {
    const began = performance.now()
    for (const piece of ["<b>", "<b ", '<a href="', "<a '\"", "<!--", "</b>", "&#x41", "<ul><li>"])
      textOf(nodesOfHtml(piece.repeat(65_536 / piece.length), self))
    expect(performance.now() - began).toBeLessThan(5000)
  })
})

const read = (content: object, kind: string, isReply = false) => {
  const nodes = nodesOfMessage(content as Record<string, unknown>, kind, {self, name: "Ann", isReply})
  return nodes && renderContent(nodes)
}

describe("incoming messages", () => {
  test.each([
    ["m.text", {body: "a <b>&amp;"}, "a &lt;b&gt;&amp;amp;"],
    ["m.text", {body: "a", format: "org.matrix.custom.html", formatted_body: "<b>a</b>"}, "<b>a</b>"],
    ["m.text", {body: "a", format: "text/markdown", formatted_body: "<b>a</b>"}, "a"],
    ["m.emote", {body: "waves"}, "* Ann waves"],
    ["m.location", {body: "Big Ben", geo_uri: "geo:1,2"}, "Big Ben"],
    ["m.notice", {body: "a bot's"}, undefined],
    ["m.key.verification.request", {body: "verify"}, undefined],
    ["m.text", {body: 7}, ""],
    [
      "m.image",
      {body: "a.png", url: "mxc://a/b", info: {mimetype: "image/png", size: 5}},
      '<img src="mxc://a/b" title="a.png" type="image/png" size="5"/>',
    ],
    ["m.image", {body: "a.png", url: "mxc://a/b"}, '<img src="mxc://a/b" title="a.png"/>'],
    ["m.file", {body: "look", filename: "a.pdf", url: "mxc://a/b"}, '<file src="mxc://a/b" title="a.pdf"/>look'],
    [
      "m.file",
      {body: "a.pdf", filename: "a.pdf", url: "mxc://a/b", info: {size: -1}},
      '<file src="mxc://a/b" title="a.pdf"/>',
    ],
    ["m.file", {body: "a.pdf", url: "https://evil.example/a"}, "a.pdf"],
    ["m.file", {body: "a.pdf", file: {url: "mxc://a/b", key: {}}}, "a.pdf"],
  ])("%s %j", (kind, content, expected) => expect(read(content, kind)).toBe(expected))

  test("lose the repeated lines of the message they reply to", () => {
    const body = "> <@ann:example.org> one\n> two\n\nthree\n> four"
    expect(read({body}, "m.text", true)).toBe("three\n&gt; four")
    expect(read({body}, "m.text")).toBe(renderContent(body))
    expect(read({body: "> a quote of my own"}, "m.text", true)).toBe("&gt; a quote of my own")
  })
})

const out = (...nodes: Node[]) => textOfContent(nodes)

describe("outgoing messages", () => {
  test.each([
    [["plain & <b>"], "plain & <b>", undefined],
    [[h("b", "bold"), " ", h("i", "it"), h("s", "no")], "bold itno", "<strong>bold</strong> <em>it</em><del>no</del>"],
    [["<b>", h("b", '<i>&"')], '<b><i>&"', "&lt;b&gt;<strong>&lt;i&gt;&amp;&quot;</strong>"],
    [[h("p", "one"), h("p", "two")], "one\ntwo", undefined],
    [["a\r\nb\rc", h("br"), "d"], "a\nb\nc\nd", undefined],
    [[h("b", "a\nb")], "a\nb", "<strong>a<br>b</strong>"],
    [[h("code", {}, "x < y")], "x < y", "<code>x &lt; y</code>"],
    [[h("code", {}, "x\ny")], "x\ny", "<pre><code>x\ny</code></pre>"],
    [[h("spl", {}, "x")], "x", "<span data-mx-spoiler>x</span>"],
    [
      [h("a", {href: "https://a.example/?b&c"}, "x")],
      "x (https://a.example/?b&c)",
      '<a href="https://a.example/?b&amp;c">x</a>',
    ],
    [[h("a", {href: "javascript:alert(1)"}, "x")], "x", undefined],
    [[h("sharp", {id: "#r:example.org", name: "r"})], "#r", '<a href="https://matrix.to/#/%23r%3Aexample.org">#r</a>'],
    [[h("x-unknown", {}, "inner")], "inner", undefined],
    [[h("quote", {id: "$1"}, "old"), "new"], "new", undefined],
    [[h("img", {src: "https://a.example/x.png", title: "x"})], "[x] https://a.example/x.png", undefined],
    [["\0\x1b[2J\ud800"], "[2J\ufffd", undefined],
  ] as const)("%j", (nodes, body, html) => expect(out(...nodes)).toMatchObject({body, html}))

  test("list mentions in m.mentions, and text that looks like a mention is not listed", () => {
    const text = out(h("at", {id: "@ann:example.org", name: "<Ann>"}), " @bob:example.org ", h("at", {type: "all"}))
    expect(text.html).toBe('<a href="https://matrix.to/#/%40ann%3Aexample.org">&lt;Ann&gt;</a> @bob:example.org @room')
    expect(contentOf(text, "m.text")).toMatchObject({
      body: "<Ann> @bob:example.org @room",
      "m.mentions": {user_ids: ["@ann:example.org"], room: true},
    })
    expect(contentOf(out("@ann:example.org @room"), "m.text")["m.mentions"]).toEqual({})
    expect(out(h("at", {id: '"><script>', name: "x"})).html).toBeUndefined()
  })

  test("fit their longest text into an event, marked or edited", () => {
    const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
    for (const character of ["a", "字", "<", '"', "&"]) {
      const content = contentOf(out(h("b", character.repeat(10_000))), "m.text")
      expect(size(content)).toBeLessThanOrEqual(60_000)
      expect(size(replacing(content, "$event"))).toBeLessThanOrEqual(64_000)
      expect(content.body).toBe(character.repeat(10_000))
    }
  })

  test("find a quote anywhere except inside another quote", () => {
    expect(quoteIn(["a", h("p", h("quote", {id: "$1"}))])).toBe("$1")
    expect(quoteIn([h("quote", {}, h("quote", {id: "$2"}))])).toBeUndefined()
  })
})

test("Matrix addresses name users and rooms, and no others do", () => {
  expect(namedBy("https://matrix.to/#/@ann:example.org?via=a")).toEqual({is: "user", id: "@ann:example.org"})
  expect(namedBy("matrix:roomid/abc:example.org")).toEqual({is: "room", id: "!abc:example.org"})
  for (const href of [
    "https://matrix.to/#/%E0%A4%A",
    "https://matrix.to.evil.example/#/@a:b",
    "matrix:x/y",
    "https://matrix.to/#/!r:a/$e",
  ])
    expect(namedBy(href)).toBeUndefined()
  expect(["https://a", "mailto:a@b", "JavaScript:x", " https://a", "file:///etc"].map(isLink)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
