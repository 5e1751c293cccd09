import {expect, test} from "vitest"
import {isLink, readHtml} from "../../../../server/adapters/email/content/html.ts"
import {decodeEntities, h, renderContent, textOf} from "../../../../shared/sdk/sdk.ts"

const read = (html: string) =>
  renderContent(readHtml(html, cid => (cid === "logo" ? h("img", {src: "mail:1/2/3"}) : undefined)))

test.each([
  ["text with entities", "a &amp; b &#228; &#x1F600; &nosuch;", "a &amp; b ä 😀 &amp;nosuch;"],
  [
    "markup that Satori has",
    "<strong>a</strong> <em>b</em> <del>c</del> <code>d</code>",
    "<b>a</b> <i>b</i> <s>c</s> <code>d</code>",
  ],
  ["a link", '<a href="https://x.test/?a=1&amp;b=2">here</a>', '<a href="https://x.test/?a=1&amp;b=2">here</a>'],
  ["a link that runs something", '<a href="javascript:alert(1)">here</a>', "here"],
  ["lines", "<div>a</div><div><br></div><div>b</div><div>c</div>", "a\n\nb\nc"],
  ["paragraphs", "<p>a</p>\n\n<p>b\n  c</p>", "a\n\nb c"],
  ["a list", "<ul><li>one</li><li>two</li></ul>", "- one\n- two"],
  ["preformatted text", "<pre>a\n  b</pre>", "a\n  b"],
  ["scripts and styles", "<style>x{}</style><script>alert('<b>')</script>hi<!-- no -->", "hi"],
  ["handlers and unknown tags", '<div onclick="x()"><foo:bar>hi</foo:bar></div>', "hi"],
  ["a picture of the mail", 'see <img src="cid:logo">!', 'see <img src="mail:1/2/3"/>!'],
  ["a picture from elsewhere", '<img src="https://tracker.test/x.gif" alt="logo">', "logo"],
  ["a picture as data", '<img src="data:image/png;base64,AAAA">', ""],
  ["hidden text", '<div style="display: none">preview</div>hi', "hi"],
  ["tags that are not closed", "<b>a<i>b", "<b>a<i>b</i></b>"],
  ["end tags without start tags", "a</b></div></p>b", "a\n\nb"],
  ["half a tag", "a<b", "a"],
  ["markup that a user wrote as text", "&lt;at id=&quot;x&quot;/&gt;", "&lt;at id=&quot;x&quot;/&gt;"],
  ["a table", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
])("reads %s", (_, html, content) => expect(read(html)).toBe(content))

test("deep elements become text, and hostile HTML takes little time", () => {
  const began = performance.now()
  expect(textOf(readHtml(`${"<b>".repeat(50_000)}x`, () => undefined))).toBe("x")
  for (const html of [
    "<a ".repeat(100_000),
    '<a "'.repeat(80_000),
    `<a ${"a".repeat(200_000)}`,
    "<!--".repeat(50_000),
    "&".repeat(200_000),
  ])
    readHtml(html, () => undefined)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test("numeric references without a character are replaced", () => {
  expect(decodeEntities("&#0;&#xD800;&#9999999;&lt")).toBe("\ufffd\ufffd\ufffd<")
})

test.each(["https://a.test", "mailto:a@b.test", "tel:+431"])("%s is a link", address => {
  expect(isLink(address)).toBe(true)
})

test.each(["javascript:x", "data:text/html,x", "https://a\nb", "file:///etc/passwd", " https://a"])(
  "%j is not a link",
  address => expect(isLink(address)).toBe(false),
)
