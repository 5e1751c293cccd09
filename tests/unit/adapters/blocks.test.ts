import {describe, expect, test} from "vitest"
import {type Embed, embedsOf, groupEmbeds, splitCards} from "../../../server/adapters/discord/content/embeds.ts"
import {longestText, writeParts} from "../../../server/adapters/discord/content/parts.ts"
import {readMarkdown} from "../../../server/adapters/discord/content/read.ts"
import {compose} from "../../../server/adapters/email/send/compose.ts"
import {plain, toLines} from "../../../server/adapters/irc/format.ts"
import {nodesOfHtml} from "../../../server/adapters/matrix/format/incoming.ts"
import {textOfContent} from "../../../server/adapters/matrix/format/outgoing.ts"
import {toSegments} from "../../../server/adapters/onebot/content.ts"
import {shownText as sandboxText} from "../../../server/adapters/sandbox/buttons.ts"
import {toContent} from "../../../server/adapters/satori/content.ts"
import {readText} from "../../../server/adapters/slack/content/read.ts"
import {writeMessage} from "../../../server/adapters/slack/content/write.ts"
import {render} from "../../../server/adapters/telegram/outgoing/render.ts"
import {writeContent} from "../../../server/adapters/xmpp/content/write.ts"
import {shownText} from "../../../server/testing/platforms/slack/shown.ts"
import {parseContent} from "../../../shared/sdk/content/parse-content.ts"
import {type Element, h, isElement, type Node, textOf} from "../../../shared/sdk/sdk.ts"

const imageOf = ({type, attrs}: Element) => (type === "img" ? String(attrs.src) : undefined)
const isImage = (element: Element) => imageOf(element) !== undefined
const none = async () => undefined

/** What Discord gets: the texts of the messages, and the embeds. */
const discord = (content: readonly Node[]) => {
  const {rest, cards} = splitCards(content)
  return {
    texts: writeParts(rest, () => false).map(({written}) => written.text),
    embeds: cards.flatMap(card => embedsOf(card, imageOf, isImage)),
  }
}

const partsOf = ({title = "", description = "", fields = []}: Embed): readonly string[] => [
  title,
  description,
  ...fields.flatMap(({name, value}) => [name, value]),
]

/** What each platform shows of content, as text. */
const shown: Readonly<Record<string, (content: readonly Node[]) => Promise<string> | string>> = {
  discord: content => [...discord(content).texts, ...discord(content).embeds.flatMap(partsOf)].join("\n"),
  slack: content => shownText(writeMessage(content).blocks),
  telegram: content => render(content, isImage).text,
  matrix: content => textOfContent(content).body,
  email: async content => (await compose(content, none, "m@svc.test")).text,
  xmpp: content => writeContent(content, {nickOf: () => undefined}).body,
  irc: content => toLines(content).map(plain).join("\n"),
  sandbox: content => sandboxText(content),
  satori: content => textOf(parseContent(toContent(content))),
  onebot: async content => (await toSegments(content, none)).map(({data}) => data.text ?? "").join(""),
}

const platforms = Object.keys(shown)

const card = h(
  "card",
  {title: "Build 7", href: "https://a.example/7", colour: "#c0ffee"},
  "It failed.",
  h("card-field", {title: "Branch", inline: true}, "main"),
  h("card-field", {title: "By"}, h("b", "ann")),
  h("img", {src: "https://a.example/i.png", title: "graph"}),
  h("button", {id: "1:retry"}, "Retry"),
)

const list = h("ul", h("li", "one"), h("li", "two", h("ol", {start: 3}, h("li", "inner"), h("li", h("b", "last")))))

const rowsOf = (columns: number, rows: number) =>
  h(
    "table",
    ...Array.from({length: rows}, (_, row) =>
      h("tr", ...Array.from({length: columns}, (_, column) => h(row === 0 ? "th" : "td", `c${row}.${column}`))),
    ),
  )

describe("blocks and cards", () => {
  test("are Markdown and embeds on Discord", () => {
    const blocks = [h("h2", "A ", h("i", "b")), list, h("blockquote", h("p", "said"), "twice"), h("pre", "x"), "end"]
    expect(discord([...blocks, card])).toEqual({
      texts: ["## A *b*\n- one\n- two\n  3. inner\n  4. **last**\n> said\n> twice\n```\nx\n```\nend"],
      embeds: [
        {
          title: "Build 7",
          url: "https://a.example/7",
          color: 0xc0ffee,
          description: "It failed.",
          fields: [
            {name: "Branch", value: "main", inline: true},
            {name: "By", value: "**ann**", inline: false},
          ],
          image: {url: "https://a.example/i.png"},
        },
      ],
    })
  })

  test("have their address on Discord also without a title", () =>
    expect(discord([h("card", {href: "https://a.example/"})]).embeds).toEqual([
      {description: "**https://a.example/**"},
    ]))

  test("are blocks on Slack", () => {
    const {blocks, text} = writeMessage([h("h1", "Title"), list, h("hr"), h("blockquote", "said"), card])
    const item = (text: string, style = {}) => ({type: "rich_text_section", elements: [{type: "text", text, ...style}]})
    const bold = {style: {bold: true}}
    expect(blocks).toMatchObject([
      {type: "header", text: {text: "Title"}},
      {
        type: "rich_text",
        elements: [
          {type: "rich_text_list", style: "bullet", indent: 0, elements: [item("one"), item("two")]},
          {
            type: "rich_text_list",
            style: "ordered",
            indent: 1,
            offset: 2,
            elements: [item("inner"), item("last", bold)],
          },
        ],
      },
      {type: "divider"},
      {
        type: "rich_text",
        elements: [
          {type: "rich_text_quote", elements: [{text: "said"}]},
          {
            elements: [
              {type: "link", url: "https://a.example/7", text: "Build 7", ...bold},
              {text: "\n"},
              {text: "It failed."},
            ],
          },
        ],
      },
      {type: "section", fields: [{type: "mrkdwn", text: "*Branch*\nmain", verbatim: true}]},
      {type: "rich_text", elements: [{elements: [{text: "By", ...bold}, {text: "\n"}, {text: "ann", ...bold}]}]},
      {type: "image", image_url: "https://a.example/i.png", alt_text: "graph"},
      {type: "actions", elements: [{type: "button", value: "1:retry"}]},
    ])
    expect(shownText(blocks)).toContain("Build 7")
    expect(text).toMatch(/^Title\n- one\n- two\n {2}3\. inner\n.*\nBuild 7\nIt failed\./s)
  })

  test("are entities, a picture and buttons on Telegram", () => {
    const {text, entities, files, buttons} = render(
      [h("h1", "Title"), h("blockquote", "a", h("blockquote", "b")), card],
      isImage,
    )
    expect(text).toBe("Title\na\n> b\nBuild 7\nIt failed.\nBranch: main\nBy: ann")
    expect(entities.map(({type, offset, length}) => [type, text.slice(offset, offset + length)])).toEqual([
      ["bold", "Title"],
      ["blockquote", "a\n> b"],
      ["text_link", "Build 7"],
      ["bold", "Build 7"],
      ["bold", "Branch:"],
      ["bold", "By:"],
      ["bold", "ann"],
    ])
    expect([files.length, buttons.length]).toEqual([1, 1])
    expect(render([h("pre", h("b", "x")), h("code", h("b", "y"))], isImage).entities).toMatchObject([
      {type: "pre", length: 1},
      {type: "code", length: 1},
    ])
  })

  test("are HTML on Matrix and in mail", async () => {
    const content = ["a", h("h1", "T"), list, h("pre", {lang: "js"}, "x\ny"), h("hr"), rowsOf(1, 2), card]
    expect(textOfContent(content).html).toBe(
      'a<h1>T</h1><ul><li>one</li><li>two<ol start="3"><li>inner</li><li><strong>last</strong></li></ol></li></ul>' +
        '<pre><code class="language-js">x\ny</code></pre><hr><table><tr><th>c0.0</th></tr><tr><td>c1.0</td></tr></table>' +
        '<blockquote><font data-mx-color="#c0ffee"><strong><a href="https://a.example/7">Build 7</a></strong></font><br>' +
        "It failed.<br><strong>Branch:</strong> main<br><strong>By:</strong> <strong>ann</strong><br>" +
        "[graph] https://a.example/i.png<br>Retry</blockquote>",
    )
    const {html = ""} = await compose(content, none, "m@svc.test")
    expect(html).toMatch(/^a<h1>T<\/h1><ul><li>one<\/li><li>two<ol start="3"><li>inner<\/li>.*<pre>x\ny<\/pre><hr>/s)
    expect(html).toMatch(
      /border-left:4px solid #c0ffee.*<p><b><a href="https:\/\/a\.example\/7">Build 7<\/a><\/b><\/p>It/,
    )
    expect(html).toMatch(/<table[^>]*><tr><td[^>]*><b>Branch<\/b><br>\nmain<\/td><\/tr><\/table><div><b>By<\/b>/)
  })

  test("are marked lines on XMPP and IRC", () => {
    const content = [h("h1", "T"), list, h("blockquote", "q"), rowsOf(2, 2), card]
    const rows = ["c0.0  c0.1", "----  ----", "c1.0  c1.1"]
    const lines = ["- one", "- two", "  3. inner"]
    const {body, isStyled} = writeContent(content, {nickOf: () => undefined})
    expect({isStyled, lines: body.split("\n").slice(0, 11)}).toEqual({
      isStyled: true,
      lines: ["*T*", ...lines, "  4. *last*", "> q", "```", ...rows, "```"],
    })
    expect(toLines(content).slice(0, 9)).toEqual(["\x02T\x02", ...lines, "  4. \x02last\x02", "> q", ...rows])
  })

  test("are elements of Satori v1 on a Satori server", () => {
    const types = new Set<string>()
    const walk = (nodes: readonly Node[]): void => {
      for (const node of nodes.filter(isElement)) {
        types.add(node.type)
        walk(node.children)
      }
    }
    walk(parseContent(toContent([h("h1", "T"), list, h("hr"), rowsOf(2, 2), h("blockquote", "q"), card])))
    expect([...types].sort()).toEqual(["a", "b", "button", "img", "p", "pre"])
  })

  test.each(platforms)("show all their text on %s, also 30 fields and a table of 40 columns", async platform => {
    const fields = Array.from({length: 30}, (_, n) =>
      h("card-field", {title: `name ${n}`, inline: n % 2 === 0}, `v${n}`),
    )
    const text = await shown[platform]?.([h("card", {title: "Thirty"}, ...fields), list, rowsOf(40, 2), rowsOf(1, 2)])
    for (const word of ["Thirty", ...fields.flatMap(({attrs}) => String(attrs.title)), "v29", "inner", "c1.39"])
      expect(text).toContain(word)
  })

  test.each(platforms)("may be empty on %s", async platform => {
    const empty = [
      h("card"),
      h("card", {title: ""}, h("card-field", {})),
      h("ul"),
      h("table", h("tr")),
      h("h1"),
      h("pre"),
    ]
    await shown[platform]?.(["x", ...empty, h("blockquote"), h("li"), h("ol", h("li"))])
    expect(await shown[platform]?.(["x", ...empty])).toMatch(/^x/)
  })
})

const hostile = [
  "*b* _i_ ~s~ ~~s~~ `c` **b** __u__ ||s|| :smile:",
  "<b>&amp;</b> [x](https://evil.example) <https://evil.example|x>",
  "@everyone @here @room <@42> <@U0ANN> <!channel> <#600> <@&7>",
  "# h\n> q\n- l\n1. o\n```\nf\n```\n---",
  "\u202eright to left\u202c שלום 👨‍👩‍👧 \u0000\u0007",
]

/** Content with a text in every place where an author may put one. */
const around = (text: string): readonly Node[] => [
  h("h1", text),
  h("ul", h("li", text, h("ol", h("li", text)))),
  h("blockquote", text),
  h("pre", text),
  h("table", h("tr", h("th", text)), h("tr", h("td", text))),
  h(
    "card",
    {title: text},
    text,
    h("card-field", {title: text, inline: true}, text),
    h("card-field", {title: text}, text),
  ),
]

const typesIn = (nodes: readonly Node[]): readonly string[] =>
  nodes.filter(isElement).flatMap(node => [node.type, ...typesIn(node.children)])

describe.each(hostile)("a text in them is no markup: %j", text => {
  const content = around(text)

  test("on Discord", () => {
    const {rest, cards} = splitCards([...content, h("at", {id: "1"})])
    const [first] = writeParts(rest, () => false)
    expect(first?.written.mentions).toMatchObject({parse: [], users: ["1"], roles: []})
    const named = {user: () => "x", channel: () => "x", everyone: true}
    const inEmbeds = cards.flatMap(card => embedsOf(card, imageOf, isImage)).flatMap(partsOf)
    const found = [first?.written.text ?? "", ...inEmbeds].flatMap(each => typesIn(readMarkdown(each, named)))
    expect(found.filter(type => type !== "a" && type !== "code")).toEqual(["at"])
  })

  test("on Slack", () => {
    const {blocks, text: fallback} = writeMessage(content)
    expect(typesIn(readText(fallback)).filter(type => type === "at" || type === "sharp" || type === "a")).toEqual([])
    const fields = blocks.flatMap(({fields = []}) => fields as readonly {readonly text: string}[])
    for (const field of fields) expect(field.text).not.toMatch(/[<>_~`]|\*.*\*.*\*|:\w+:/)
    expect(shownText(blocks)).toContain(text.split("\n")[0])
  })

  test("on Matrix and in mail", async () => {
    const {html = "", users, isForRoom} = textOfContent(content)
    expect({users, isForRoom}).toEqual({users: [], isForRoom: false})
    expect(typesIn(nodesOfHtml(html, {id: "@b:x", name: "b"})).filter(type => type === "a" || type === "at")).toEqual(
      [],
    )
    const mail = (await compose(content, none, "m@svc.test")).html ?? ""
    const tags = new Set([...mail.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag))
    expect([...tags].filter(tag => !/^(h1|[uo]l|li|blockquote|pre|table|t[rdh]|div|p|b|br)$/.test(tag ?? ""))).toEqual(
      [],
    )
  })

  test("on XMPP, Telegram and Satori", () => {
    const {body, isStyled} = writeContent(content, {nickOf: () => undefined})
    expect(isStyled).toBe(!/[*_~`]|^>/m.test(text))
    expect(body).toContain(text.split("\n")[0])
    const {text: said, entities} = render(content, isImage)
    expect(entities.every(({type}) => ["bold", "blockquote", "pre"].includes(type))).toBe(true)
    expect(said.length).toBeLessThanOrEqual(textOf(content).length)
    expect(typesIn(parseContent(toContent(content))).filter(type => !/^(p|b|pre)$/.test(type))).toEqual([])
  })
})

describe("at the limits", () => {
  const long = "word* ".repeat(400)
  const big = [
    h("h1", long.slice(0, 300)),
    h("ol", {start: 7}, ...Array.from({length: 60}, (_, n) => h("li", `${n} ${long.slice(0, 40)}`))),
    ...Array.from({length: 40}, () => h("hr")),
    h(
      "card",
      {title: long.slice(0, 300), colour: "#123456"},
      long,
      ...Array.from({length: 30}, (_, n) => h("card-field", {title: `n${n}`, inline: true}, `${n} ${"x".repeat(300)}`)),
      h("card-field", {title: long.slice(0, 200)}, long.slice(0, 1100)),
    ),
    ...Array.from({length: 12}, (_, n) => h("card", {title: `card ${n}`})),
  ]

  test("Discord accepts each message and each embed, and gets the whole text", () => {
    const {texts, embeds} = discord(big)
    expect(texts.every(({length}) => length <= longestText)).toBe(true)
    const groups = groupEmbeds(embeds)
    for (const group of groups) {
      expect(group.length).toBeLessThanOrEqual(10)
      expect(group.flatMap(partsOf).join("").length).toBeLessThanOrEqual(6000)
    }
    for (const {title = "", description = "", fields = []} of embeds) {
      expect([title.length <= 256, description.length <= 4096, fields.length <= 25]).toEqual([true, true, true])
      for (const {name, value} of fields)
        expect([name.length > 0 && name.length <= 256, value.length > 0 && value.length <= 1024]).toEqual([true, true])
    }
    const all = [...texts, ...embeds.flatMap(partsOf)].join(" ").replaceAll("\\", "")
    for (const n of Array.from({length: 30}, (_, n) => n)) expect(all).toContain(`${n} ${"x".repeat(300)}`)
    expect(all.match(/word\*/g)?.length).toBeGreaterThan(50 + 400 + 180)
    expect(all.match(/card \d+/g)).toHaveLength(12)
    expect(all).toContain("\n66. 59")
  })

  test("an element without parts is cut as text on Discord", () => {
    const parts = writeParts([h("at", {name: "*".repeat(3000)})], () => false)
    expect(
      parts
        .map(({written}) => written.text)
        .join("")
        .replaceAll("\\", ""),
    ).toHaveLength(3001)
    expect(parts.every(({written}) => written.text.length <= longestText)).toBe(true)
  })

  test("Slack accepts the blocks; of too many, it gets one text", () => {
    const {blocks} = writeMessage([...big, h("button", {id: "b"}, "Go")])
    expect(shownText(blocks)).toContain("card 11")
    expect(blocks.map(({type}) => type)).toEqual(["rich_text", "actions"])
    expect(writeMessage([h("card", {}, h("img", {src: "https://a.example/i.png"}))], true).blocks).toMatchObject([
      {type: "rich_text", elements: [{elements: [{type: "link", url: "https://a.example/i.png"}]}]},
    ])
  })

  test("IRC and Telegram get no more than the text that the Host counts", () => {
    expect(render(big, isImage).text.length).toBeLessThanOrEqual(textOf(big).length)
    expect(toLines(big).map(plain).join("\n").length).toBeLessThanOrEqual(textOf(big).length)
  })
})

test("a link button is a link where a platform has no buttons", async () => {
  const content = ["a", h("button", {href: "https://b.example/"}, "More")]
  for (const platform of ["matrix", "xmpp", "irc", "onebot", "email", "sandbox"])
    expect({platform, text: await shown[platform]?.(content)}).toEqual({
      platform,
      text: expect.stringContaining("https://b.example/"),
    })
  expect(writeMessage(content).blocks.at(-1)).toMatchObject({elements: [{url: "https://b.example/"}]})
})
