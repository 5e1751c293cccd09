import assert from "node:assert/strict"
import {test} from "node:test"
import {allowedFrom, isPublic} from "../lib/addresses.ts"
import {readDocument} from "../lib/document.ts"

const base = new URL("https://example.org/blog/feed.xml")
const read = (text: string | Uint8Array, type = "application/xml") =>
  readDocument(typeof text === "string" ? new TextEncoder().encode(text) : text, type, base)
const shown = (text: string | Uint8Array, type?: string) =>
  read(text, type)?.entries.map(({title, link}) => [title, link])

test("reads RSS 2.0", () => {
  const feed = `\ufeff<?xml version="1.0"?>
    <!-- <item><title>no</title></item> -->
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><channel>
      <title>Ann&#39;s <![CDATA[<b>blog</b>]]></title><link>https://example.org</link>
      <atom:link href="https://example.org/feed.xml" rel="self"/>
      <image><title>Logo</title><link>https://example.org/logo</link></image>
      <item><media:title>no</media:title><title>Salt &amp;amp; pepper</title><link>/1</link>
        <guid isPermaLink="false">one</guid><pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate>
        <source url="https://example.com/feed"><title>Elsewhere</title></source></item>
      <item><description>Without a title</description><link>https://example.org/2</link></item>
      <item><title>1 &lt; 2, and a
        new line</title><link>javascript:alert(1)</link><category>A</category><category>B</category></item>
      <item><description>Neither title nor link</description></item>
    </channel></rss>`
  assert.equal(read(feed)?.title, "Ann's blog")
  assert.deepEqual(shown(feed), [
    ["Salt & pepper", "https://example.org/1"],
    ["https://example.org/2", "https://example.org/2"],
    ["1 < 2, and a new line", undefined],
  ])
  assert.equal(read(feed)?.entries[0]?.at, Date.parse("2026-03-01T12:00:00Z"))
  assert.match(read(feed)?.entries[2]?.categories ?? "", /A B/)
})

test("reads RSS 1.0", () => {
  const feed = `<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel rdf:about="https://example.org/">
    <title>News</title></channel><item rdf:about="https://example.org/1"><title>One</title>
    <link>https://example.org/1</link><dc:date>2026-03-01T12:00:00Z</dc:date></item></rdf:RDF>`
  assert.equal(read(feed)?.title, "News")
  assert.deepEqual(shown(feed), [["One", "https://example.org/1"]])
  assert.equal(read(feed)?.entries[0]?.at, Date.parse("2026-03-01T12:00:00Z"))
})

test("reads Atom, with a prefix as well", () => {
  const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Ann &lt;3</title><id>urn:feed</id>
    <link rel="self" href="/feed.xml"/><link href="/"/>
    <entry><source><title>Elsewhere</title><id>urn:other</id></source><id>urn:1</id>
      <title type="html">&lt;i&gt;One&lt;/i&gt; &amp;amp; two</title>
      <link rel="enclosure" href="/1.mp3"/><link rel='alternate' href='1.html?a=1&amp;b=2'/>
      <category term="Release"/><updated>2026-03-01T12:00:00Z</updated>
      <content type="xhtml"><div><title>no</title></div></content></entry>
    <entry><id>urn:2</id><title type="xhtml"><div>Two <b>bold</b></div></title><link href="2"/></entry></feed>`
  assert.equal(read(feed)?.title, "Ann <3")
  const expected = [
    ["One & two", "https://example.org/blog/1.html?a=1&b=2"],
    ["Two bold", "https://example.org/blog/2"],
  ]
  assert.deepEqual(shown(feed), expected)
  assert.match(read(feed)?.entries[0]?.categories ?? "", /Release/)
  assert.deepEqual(shown(feed.replace(/<(\/?)(?=[a-z])/g, "<$1a:")), expected)
})

test("reads JSON Feed", () => {
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: "News",
    items: [{id: "1", url: "/1", title: "One", tags: ["release"]}, {id: 2, content_text: "Two"}, null, {id: "3"}],
  }
  assert.deepEqual(shown(JSON.stringify(feed), "application/feed+json"), [
    ["One", "https://example.org/1"],
    ["Two", undefined],
  ])
  assert.equal(read("{}"), undefined)
  assert.equal(read('{"version": "https://jsonfeed.org/version/1.1", "items": 1}'), undefined)
})

test("decodes by the mark of the bytes, by the header and by the first line", () => {
  const feed = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><rss><channel><item><title>Grün</title></item></channel></rss>`
  const latin = (text: string) => Buffer.from(text, "latin1")
  const wide = Buffer.from(`\ufeff${feed("utf-8")}`, "utf16le")
  assert.deepEqual(shown(feed("utf-8")), [["Grün", undefined]])
  assert.deepEqual(shown(latin(feed("ISO-8859-1"))), [["Grün", undefined]])
  assert.deepEqual(shown(latin(feed("utf-8")), "text/xml; charset=windows-1252"), [["Grün", undefined]])
  assert.deepEqual(shown(wide), [["Grün", undefined]])
  assert.deepEqual(shown(feed("no-such-encoding")), [["Grün", undefined]])
})

test("gives titles as plain text, bounded and on one line", () => {
  const title = (text: string) => shown(`<rss><item><title>${text}</title></item></rss>`)?.[0]?.[0]
  assert.equal(title("a\u202eb\u0007c"), "ab c")
  assert.equal(title("x".repeat(5000))?.length, 300)
  assert.equal(title("&lt;at id=&quot;all&quot;/&gt;@everyone"), "@everyone")
})

test("takes hostile documents in bounded time", () => {
  const million = 1_000_000
  const nested = "<a>".repeat(million / 4)
  const item = "<item><title>one</title></item>"
  const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`
  const begin = performance.now()
  assert.deepEqual(shown(`${bomb}<rss><item><title>&b;</title></item></rss>`), [["&b;", undefined]])
  assert.deepEqual(shown(`<rss>${nested}${item}`), [["one", undefined]])
  for (const broken of [
    "<!--",
    "<![CDATA[",
    "<?",
    "<!DOCTYPE [",
    "<",
    "<a ",
    "&",
    "<a b=",
    "<a b='",
    "</",
    "]]>",
    "<title>",
  ])
    for (const text of [`<rss>${item}${broken}`, `<rss>${item}${broken.repeat(million / broken.length)}`])
      assert.deepEqual(shown(text), [["one", undefined]], broken)
  assert.equal(read(`<rss>${item.replace("one", "&lt;a").repeat(50_000)}`)?.entries.length, 1)
  assert.equal(
    read(`<rss>${Array.from({length: 20_000}, (_, n) => item.replace("one", `${n}`)).join("")}`)?.entries.length,
    500,
  )
  assert.equal(shown(`<rss><item><title>${"&lt;a ".repeat(million / 6)}</title></item>`)?.length, 1)
  const attributes = ["a".repeat(4000), "a ".repeat(2000), 'a="'.repeat(1300), "a =".repeat(1300), " ".repeat(4000)]
  for (const each of attributes) {
    assert.equal(shown(`<feed>${`<link ${each}/>`.repeat(450)}</feed>`)?.length, 0)
    assert.equal(shown(`<rdf:RDF>${`<item ${each}/>`.repeat(450)}</rdf:RDF>`)?.length, 0)
  }
  assert.equal(read("<".repeat(million)), undefined)
  const deep = `{"version": "https://jsonfeed.org/version/1.1", "items": ${"[".repeat(million)}`
  assert.equal(read(deep), undefined)
  assert.ok(performance.now() - begin < 5000)
})

test("allows a redirect from a public address to public addresses only", () => {
  const [open, closed] = [
    ["93.184.215.14", "2606:2800:21f::1"],
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"],
  ]
  assert.deepEqual(allowedFrom(open, [...closed, ...open]), open)
  assert.deepEqual(allowedFrom(["127.0.0.1"], closed), closed)
  for (const address of ["0.0.0.0", "172.31.0.1", "192.168.1.1", "100.64.0.1", "224.0.0.1", "255.255.255.255"])
    assert.equal(isPublic(address), false, address)
  for (const address of ["fe80::1", "fc00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "2001:db8::1", "ff02::1", "x"])
    assert.equal(isPublic(address), false, address)
})
