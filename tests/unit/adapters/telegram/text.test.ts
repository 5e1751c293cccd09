import type {MessageEntity} from "grammy/types"
import {describe, expect, test} from "vitest"
import {toNodes} from "../../../../server/adapters/telegram/incoming/text.ts"
import {render} from "../../../../server/adapters/telegram/outgoing/render.ts"
import {type Content, h, renderContent, textOf} from "../../../../shared/sdk/sdk.ts"

const me = {id: 999, username: "test_bot"}

/** An entity over the first occurrence of some words in a text. */
const over = (text: string, words: string, entity: object): MessageEntity =>
  ({offset: text.indexOf(words), length: words.length, ...entity}) as MessageEntity

const bold = {type: "bold"}
const family = "👨‍👩‍👧"

describe("Telegram text as elements", () => {
  test.each<[string, string, readonly MessageEntity[], string]>([
    ["plain text", '1 < 2 & "so" <b>on</b>', [], "1 &lt; 2 &amp; &quot;so&quot; &lt;b&gt;on&lt;/b&gt;"],
    ["formatting", "a bold end", [over("a bold end", "bold", bold)], "a <b>bold</b> end"],
    [
      "entities within entities",
      "all of it",
      [over("all of it", "all of it", bold), over("all of it", "of", {type: "italic"})],
      "<b>all <i>of</i> it</b>",
    ],
    [
      "two over the same",
      "both",
      [over("both", "both", {type: "underline"}), over("both", "both", {type: "strikethrough"})],
      "<u><s>both</s></u>",
    ],
    ["offsets after emoji", `${family} x`, [over(`${family} x`, "x", bold)], `${family} <b>x</b>`],
    [
      "a link",
      "see here",
      [over("see here", "here", {type: "text_link", url: "https://a.example/?a=1&b=2"})],
      'see <a href="https://a.example/?a=1&amp;b=2">here</a>',
    ],
    [
      "code in a language",
      "let x",
      [over("let x", "let x", {type: "pre", language: "js"})],
      '<pre lang="js">let x</pre>',
    ],
    ["a spoiler", "it was him", [over("it was him", "him", {type: "spoiler"})], "it was <spl>him</spl>"],
    ["a mention by name", "hi @ada", [over("hi @ada", "@ada", {type: "mention"})], 'hi <at name="ada"/>'],
    [
      "a mention of the bot, in any case",
      "@Test_Bot hi",
      [over("@Test_Bot hi", "@Test_Bot", {type: "mention"})],
      '<at id="999" name="test_bot"/> hi',
    ],
    [
      "a mention of somebody without a name",
      "hi Ada",
      [over("hi Ada", "Ada", {type: "text_mention", user: {id: 7, is_bot: false, first_name: "Ada"}})],
      'hi <at id="7" name="Ada"/>',
    ],
    [
      "a mention by the full name",
      "hi Ada King",
      [over("hi Ada King", "Ada King", {type: "text_mention", user: {id: 7, is_bot: false, first_name: "Ada"}})],
      'hi <at id="7" name="Ada King"/>',
    ],
    [
      "a mention of the bot by its title",
      "Test Bot hi",
      [over("Test Bot hi", "Test Bot", {type: "text_mention", user: {id: 999, is_bot: true, first_name: "Test Bot"}})],
      '<at id="999" name="test_bot"/> hi',
    ],
    [
      "a command that names the bot",
      "/add@test_bot 2",
      [over("/add@test_bot 2", "/add@test_bot", {type: "bot_command"})],
      "/add 2",
    ],
    [
      "a command of another bot",
      "/add@other 2",
      [over("/add@other 2", "/add@other", {type: "bot_command"})],
      "/add@other 2",
    ],
    [
      "a detected entity without formatting",
      "#tag a.example",
      [over("#tag a.example", "#tag", {type: "hashtag"})],
      "#tag a.example",
    ],
    ["an entity beyond the text", "short", [{type: "bold", offset: 2, length: 9}], "short"],
    ["an entity before it", "short", [{type: "bold", offset: -1, length: 3}], "short"],
    [
      "entities that overlap in part",
      "abcdef",
      [
        {type: "bold", offset: 0, length: 4},
        {type: "italic", offset: 2, length: 4},
      ],
      "<b>ab<i>cd</i></b>ef",
    ],
    ["a kind that is not known", "new", [over("new", "new", {type: "toString"})], "new"],
  ])("%s", (_, text, entities, expected) => expect(renderContent(toNodes(text, entities, me))).toBe(expected))
})

const shown = (content: Content) =>
  render(typeof content === "string" || !Array.isArray(content) ? [content as never] : content, () => false)

describe("elements as Telegram text", () => {
  test.each<[string, Content, string, readonly object[]]>([
    ["text is never markup", "<b>*_no_*</b> [x](y)", "<b>*_no_*</b> [x](y)", []],
    ["formatting", h("b", "bold"), "bold", [{type: "bold", offset: 0, length: 4}]],
    [
      "nested formatting after an emoji",
      [`${family} `, h("b", {}, "a ", h("em", "b"))],
      `${family} a b`,
      [
        {type: "italic", offset: family.length + 3, length: 1},
        {type: "bold", offset: family.length + 1, length: 3},
      ],
    ],
    ["code", h("code", "<a>&"), "<a>&", [{type: "code", offset: 0, length: 4}]],
    ["code in a language", h("pre", {lang: "js"}, "x"), "x", [{type: "pre", language: "js", offset: 0, length: 1}]],
    [
      "a link",
      h("a", {href: "https://a.example"}, "here"),
      "here",
      [{type: "text_link", url: "https://a.example", offset: 0, length: 4}],
    ],
    [
      "a link without text",
      h("a", {href: "https://a.example"}),
      "https://a.example",
      [{type: "text_link", url: "https://a.example", offset: 0, length: 17}],
    ],
    ["an address that is no link", h("a", {href: "javascript:alert(1)"}, "here"), "here (javascript:alert(1))", []],
    [
      "a mention by id",
      ["hi ", h("at", {id: "7", name: "Ada"})],
      "hi @Ada",
      [{type: "text_mention", user: {id: 7, is_bot: false, first_name: ""}, offset: 3, length: 4}],
    ],
    ["a mention by name", h("at", {name: "ada"}), "@ada", []],
    ["everybody", h("at", {type: "all"}), "@all", []],
    ["paragraphs and lines", [h("p", "one"), h("p", {}, "two", h("br"), "three")], "one\ntwo\nthree", []],
    ["formatting up to the end of a paragraph", h("b", {}, h("p", "x")), "x", [{type: "bold", offset: 0, length: 1}]],
    ["an element that Telegram lacks", [h("sharp", {name: "news"}), h("x-marquee", "x"), h("sup", "2")], "#newsx2", []],
    ["formatting of an empty text", h("b"), "", []],
    ["a file that is not sent", h("img", {src: "cid:1", title: "cat.png"}), "[cat.png] cid:1", []],
  ])("%s", (_, content, text, entities) => {
    const rendered = shown(content)
    expect({text: rendered.text, entities: rendered.entities}).toEqual({text, entities})
  })

  test("are never longer than the plain text that the Host counts", () => {
    const content = [
      h("p", {}, h("b", "one"), " ", h("at", {id: "7", name: "Ada"})),
      h("a", {href: "https://a.example"}, "two"),
    ]
    expect(shown(content).text.length).toBeLessThanOrEqual(textOf(content).length)
  })

  test("make a quote the answered message, outside the text", () => {
    const quoted = [h("quote", {id: "12"}, h("author", {id: "7"}), "what was said"), "so it is"]
    expect(shown(quoted)).toMatchObject({text: "so it is", answers: 12})
    expect(shown([h("quote", {id: "not a number"}), "hm"])).toMatchObject({text: "hm", answers: undefined})
  })

  test("lose their buttons from the text: presses, links and their colours", () => {
    const {text, buttons} = shown([
      "Sure?",
      h("button", {id: "1:yes", theme: "danger"}, "Yes"),
      h("button", {id: "1:no", theme: "secondary"}, "No"),
      h("button", {href: "https://a.example"}, "More"),
    ])
    expect({text, buttons}).toEqual({
      text: "Sure?",
      buttons: [
        {text: "Yes", style: "danger", callback_data: "1:yes"},
        {text: "No", callback_data: "1:no"},
        {text: "More", url: "https://a.example"},
      ],
    })
  })
})
