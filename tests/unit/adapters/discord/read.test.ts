import {expect, test} from "vitest"
import {contentOf} from "../../../../server/adapters/discord/content/message.ts"
import {readMarkdown} from "../../../../server/adapters/discord/content/read.ts"
import {renderContent} from "../../../../shared/sdk/content/elements.ts"

const named = {user: (id: string) => (id === "42" ? "ann" : undefined), channel: () => "general", everyone: false}

test.each([
  ["plain text", "plain text"],
  ["**bold** and *slanted* and _slanted_", "<b>bold</b> and <i>slanted</i> and <i>slanted</i>"],
  ["__under__ ~~struck~~ ||secret||", "<u>under</u> <s>struck</s> <spl>secret</spl>"],
  ["***both***", "<b><i>both</i></b>"],
  ["**bold *and slanted***", "<b>bold <i>and slanted</i></b>"],
  ["**a \\*\\* b**", "<b>a ** b</b>"],
  ["**a *b* c**", "<b>a <i>b</i> c</b>"],
  ["`code **not bold**`", "<code>code **not bold**</code>"],
  ["``a ` b``", "<code>a ` b</code>"],
  ["```ts\nconst a = 1\n```", '<code lang="ts">const a = 1</code>'],
  ["```\nplain\n```", "<code>plain</code>"],
  ["\\*not slanted\\*", "*not slanted*"],
  ["<@42> and <@!43>", '<at id="42" name="ann"/> and <at id="43"/>'],
  ["<@&7>", '<at role="7"/>'],
  ["<#600>", '<sharp id="600" name="general"/>'],
  [
    "<:smile:99> <a:wave:98>",
    '<emoji id="99" name="smile">:smile:</emoji> <emoji id="98" name="wave" animated>:wave:</emoji>',
  ],
  ["see https://example.com/a_b_c.", 'see <a href="https://example.com/a_b_c"/>.'],
  ["<https://example.com/>", '<a href="https://example.com/"/>'],
  ["[here](https://example.com/)", '<a href="https://example.com/">here</a>'],
  ["@everyone", "@everyone"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["** ** and __ __", "** ** and __ __"],
  ['a < b & c > "d"', "a &lt; b &amp; c &gt; &quot;d&quot;"],
  ['<b>not bold</b> <at id="1"/>', "&lt;b&gt;not bold&lt;/b&gt; &lt;at id=&quot;1&quot;/&gt;"],
  ["**open", "**open"],
  ["", ""],
])("reads %j", (text, content) => expect(renderContent(readMarkdown(text, named))).toBe(content))

test("treats @everyone as a mention only when Discord says that it is one", () => {
  const nodes = readMarkdown("@everyone and @here", {...named, everyone: true})
  expect(renderContent(nodes)).toBe('<at type="all"/> and <at type="here"/>')
})

test.each([
  "*".repeat(4000),
  "**".repeat(2000),
  "_".repeat(4000),
  "[".repeat(4000),
  "||".repeat(2000),
  "`".repeat(4000),
  "```".repeat(1300),
  "<".repeat(4000),
  "\\".repeat(4000),
  "*_".repeat(2000),
  "**a ".repeat(1000),
  "[a](https://b".repeat(300),
  "h".repeat(4000),
  `${"**__~~||".repeat(400)}x`,
])("reads the hostile text %#  within a second", text => {
  const began = performance.now()
  readMarkdown(text, named)
  expect(performance.now() - began).toBeLessThan(1000)
})

test("keeps every character of a text without markup", () => {
  for (const text of ["**", "a ** b", "~~ ~~", "|||", "<@x>", "<#>", "[a](b)", "http://", "_ _"])
    expect(readMarkdown(text, named).join("")).toBe(text)
})

test("reads answers, files, stickers and forwarded messages", () => {
  const message = {
    id: "5",
    type: 19,
    content: "yes **it is**",
    message_reference: {message_id: "4"},
    referenced_message: {id: "4", author: {id: "42", username: "ann"}, content: "is it?"},
    attachments: [
      {
        id: "1",
        url: "https://cdn.discordapp.com/attachments/1/2/a.png",
        filename: "a.png",
        content_type: "image/png",
        size: 10,
      },
      {
        id: "2",
        url: "https://cdn.discordapp.com/attachments/1/2/b.pdf",
        filename: "b.pdf",
        content_type: "application/pdf",
        size: 20,
      },
    ],
    sticker_items: [{id: "9", name: "wave", format_type: 1}],
    message_snapshots: [{message: {content: "from elsewhere"}}],
  }
  expect(contentOf(message, () => undefined)).toBe(
    '<quote id="4"><author id="42" name="ann"/>is it?</quote>yes <b>it is</b>' +
      '<img src="https://media.discordapp.net/stickers/9.png" title="wave"/>' +
      '<img src="https://cdn.discordapp.com/attachments/1/2/a.png" title="a.png" type="image/png" size="10"/>' +
      '<file src="https://cdn.discordapp.com/attachments/1/2/b.pdf" title="b.pdf" type="application/pdf" size="20"/>' +
      "<message forward>from elsewhere</message>",
  )
})

test.each([
  {content: 5, attachments: "x", mentions: {}, message_snapshots: [null, 5]},
  {content: null, type: "19", message_reference: [], sticker_items: [{}]},
  {attachments: [{url: "not an address"}, {url: 5}, null]},
])("reads a message with wrong types as far as possible (%#)", message => {
  expect(contentOf(message, () => undefined)).toMatch(/^(<message forward\/>)*$/)
})
