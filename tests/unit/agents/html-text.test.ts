import {expect, test} from "vitest"
import {isListed} from "../../../server/agents/tools/fetch/hosts.ts"
import {textOfHtml} from "../../../server/agents/tools/fetch/html-text.ts"

test("a page becomes its text, line by line", () => {
  const page = `<!DOCTYPE html><html><HEAD><title>The  docs</title><style>p { color: red }</style>
    <script>if (a < b) alert("<p>no</p>")</script></HEAD>
    <body class="a > b"><h1>Hello&nbsp;<em>world</em></h1><!-- <p>hidden</p> --><p>One
    line &amp; more &lt;b&gt; &#8364;&#x20AC; &unknown; &#0;</p><ul><li>first</li><li>second</li></ul>
    <table><tr><td>a</td><td>b</td></tr></table><pre>  two
    spaces</pre><svg><text>drawn</text></svg>1 < 2<br>end</body></html>`
  expect(textOfHtml(page)).toBe(
    [
      ...["The docs", "", "Hello world", "", "One line & more <b> €€ &unknown; \ufffd", "", "- first", "", "- second"],
      ...["", "a b", "", "  two", "    spaces", "1 < 2", "end"],
    ].join("\n"),
  )
})

test.each([
  ["a script without an end", "before<script>alert(1)", "before"],
  ["a comment without an end", "before<!-- x <p>y", "before"],
  ["a tag without an end", "before<a href='x", "before"],
  ["a quote that does not end", 'before<a href="x>y</a> after', "before"],
  ["nothing but text", "a < b > c", "a < b > c"],
  ["an end without a beginning", "a</script>b</em>  c", "ab c"],
  ["letters whose small form is longer", "İ<SCRIPT>x</SCRIPT>İ", "İİ"],
  ["nothing", "", ""],
])("%s", (_, html, text) => expect(textOfHtml(html)).toBe(text))

test("a page of a quarter of a megabyte ends in time, whatever it contains", () => {
  // A quadratic step would take minutes.
  for (const piece of ["<", "<a ", "<!--", "<script>", "</pre>", '<a href="', "&#", "< \n", " \t\n", "<pre>"]) {
    const page = piece.repeat((256 * 1024) / piece.length)
    expect(textOfHtml(page).length).toBeLessThanOrEqual(page.length)
  }
})

test.each([
  ["https://example.org/a", ["example.org"], true],
  ["https://EXAMPLE.org:443/", ["Example.ORG"], true],
  ["http://example.org:443/", ["example.org"], false],
  ["https://example.org:8443/", ["example.org"], false],
  ["https://example.org:8443/", ["example.org:8443"], true],
  ["https://example.org/", ["example.org:8443"], false],
  ["https://docs.example.org/", ["example.org"], false],
  ["https://docs.example.org/", ["*.example.org"], true],
  ["https://a.b.example.org/", ["*.example.org"], true],
  ["https://example.org/", ["*.example.org"], false],
  ["https://evilexample.org/", ["*.example.org", "example.org"], false],
  ["https://example.org.evil.net/", ["*.example.org", "example.org"], false],
  ["https://example.org./", ["example.org"], false],
  ["https://example.org@evil.net/", ["example.org"], false],
  ["http://0x7f.1/", ["127.0.0.1"], true],
  ["https://example.org/", [], false],
])("the charset %s comes from %j: %s", (url, hosts, is) => expect(isListed(new URL(url), hosts)).toBe(is))
