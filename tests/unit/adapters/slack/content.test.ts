import {describe, expect, test} from "vitest"
import {emojiName, emojiText} from "../../../../server/adapters/slack/content/emoji.ts"
import {readMessage, readText} from "../../../../server/adapters/slack/content/read.ts"
import {writeMessage} from "../../../../server/adapters/slack/content/write.ts"
import {shownText} from "../../../../server/testing/platforms/slack/shown.ts"
import {h, type Node, renderContent} from "../../../../shared/sdk/sdk.ts"

describe("Slack text becomes elements", () => {
  test.each<[string, string]>([
    ["plain", "plain"],
    ["*bold* _italic_ ~struck~ `code`", "<b>bold</b> <i>italic</i> <s>struck</s> <code>code</code>"],
    ["*bold and _italic_*", "<b>bold and <i>italic</i></b>"],
    ["```one\ntwo```", "<code>one\ntwo</code>"],
    ["2*3*4 and snake_case_name and ~/a~b", "2*3*4 and snake_case_name and ~/a~b"],
    ["* not bold * and ** and _", "* not bold * and ** and _"],
    ["<@U0BOT> help", '<at id="U0BOT"/> help'],
    ["<@U0ANN|ann> and <#C0ROOM|room>", '<at id="U0ANN" name="ann"/> and <sharp id="C0ROOM" name="room"/>'],
    [
      "<!here> <!channel> <!everyone>",
      '<at type="here"/> <at type="all" name="channel"/> <at type="all" name="everyone"/>',
    ],
    ["<!subteam^S0TEAM|@ops>", '<at role="S0TEAM" name="ops"/>'],
    ["<!date^1392734382^{date}|a day>", "a day"],
    ["<https://a.example/?x=1&amp;y=2>", '<a href="https://a.example/?x=1&amp;y=2"/>'],
    ["<https://a.example|a &lt;name&gt;>", '<a href="https://a.example">a &lt;name&gt;</a>'],
    ["<mailto:a@b.example|a@b.example>", '<a href="mailto:a@b.example">a@b.example</a>'],
    ["&lt;@U0ANN&gt; &amp;lt;", "&lt;@U0ANN&gt; &amp;lt;"],
    ["&lt;img src=x&gt;", "&lt;img src=x&gt;"],
    ["<nonsense>", "&lt;nonsense&gt;"],
    ["`*as it is* <@U0ANN>`", "<code>*as it is* &lt;@U0ANN&gt;</code>"],
    ["", ""],
  ])("%s", (text, content) => expect(renderContent(readText(text))).toBe(content))

  test("in linear time", () => {
    const begun = performance.now()
    for (const hostile of ["*a", "_", "~ ", "<", "`", "* *", "<@U|", "_*~"]) readText(hostile.repeat(20_000))
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  test("with the thread as a quote, and with its files", () => {
    const files = [
      {url_private: "https://files.slack.com/a", name: "a.png", mimetype: "image/png", size: 3},
      {url_private: "javascript:alert(1)", name: "b"},
      {mode: "tombstone"},
      "nonsense",
    ]
    expect(renderContent(readMessage({text: "look", files}, "1.2"))).toBe(
      '<quote id="1.2"/>look<img src="https://files.slack.com/a" title="a.png" type="image/png" size="3"/>',
    )
  })
})

const richOf = (...content: Node[]) => {
  const [first] = writeMessage(content).blocks
  return (first?.elements as readonly {readonly elements: readonly object[]}[] | undefined)?.flatMap(
    ({elements}) => elements,
  )
}

describe("elements become Slack blocks", () => {
  test.each<[string, Node, readonly object[]]>([
    ["text", "a", [{type: "text", text: "a"}]],
    ["bold", h("b", "a"), [{type: "text", text: "a", style: {bold: true}}]],
    ["nested", h("em", h("strong", "a")), [{type: "text", text: "a", style: {italic: true, bold: true}}]],
    ["code", h("code", "a"), [{type: "text", text: "a", style: {code: true}}]],
    ["several lines of code", h("code", "a\nb"), [{type: "text", text: "a\nb"}]],
    ["user", h("at", {id: "U0ANN"}), [{type: "user", user_id: "U0ANN"}]],
    ["role", h("at", {role: "S0OPS"}), [{type: "usergroup", usergroup_id: "S0OPS"}]],
    ["all", h("at", {type: "all"}), [{type: "broadcast", range: "channel"}]],
    ["another platform's user", h("at", {id: "42", name: "ann"}), [{type: "text", text: "@ann"}]],
    ["channel", h("sharp", {id: "C0ROOM"}), [{type: "channel", channel_id: "C0ROOM"}]],
    ["link", h("a", {href: "https://a.example"}, "a"), [{type: "link", url: "https://a.example", text: "a"}]],
    ["bare link", h("a", {href: "https://a.example"}), [{type: "link", url: "https://a.example"}]],
    ["no link", h("a", {href: "javascript:alert(1)"}, "a"), [{type: "text", text: "a (javascript:alert(1))"}]],
    ["unknown element", h("x-spoiler", h("b", "a")), [{type: "text", text: "a", style: {bold: true}}]],
    [
      "image elsewhere",
      h("img", {src: "https://a.example/i.png"}),
      [{type: "link", url: "https://a.example/i.png", text: "[img]"}],
    ],
  ])("%s", (_, node, elements) => expect(richOf(node)).toEqual(elements))

  test.each([
    "<@U0ANN> <!channel> <!here|x> <#C0ROOM>",
    "*a* _b_ ~c~ `d` ```e``` :smile:",
    "> quoted & <b>bold</b> &lt;",
    "@channel @here #general",
  ])("and a user's text stays unchanged: %s", text => {
    const {blocks, text: shown} = writeMessage([text])
    expect(richOf(text)).toEqual([{type: "text", text}])
    expect(shownText(blocks)).toBe(text)
    // The notification text has no reference that Slack would follow.
    expect(shown).not.toMatch(/[<>]/)
    expect(renderContent(readText(shown))).not.toMatch(/<(at|sharp|a)/)
  })

  test("with the lines of paragraphs, without the last line break", () => {
    const {blocks} = writeMessage([h("p", "one"), h("p", "two"), "three", h("br"), "four\n"])
    expect(shownText(blocks)).toBe("one\ntwo\nthree\nfour")
  })

  test("and a quote of a Slack message is the thread", () => {
    expect(writeMessage([h("quote", {id: "1503435956.000247"}), "a"])).toMatchObject({
      quote: "1503435956.000247",
      text: "a",
    })
    expect(writeMessage([h("quote", {id: "command/1"}), "a"])).not.toHaveProperty("quote")
  })

  test("and white space alone becomes no block", () => expect(writeMessage(["  \n"]).blocks).toEqual([]))

  test("with buttons, menus and forms that Slack accepts, under the Host's ids", () => {
    const long = "ä".repeat(200)
    const options = Array.from({length: 25}, (_, n) => h("option", {id: `o${n}`}, `Option ${n} ${long}`))
    const content = [
      "Which?",
      ...Array.from({length: 30}, (_, n) => h("button", {id: `b${n}`, theme: n === 0 ? "danger" : "secondary"}, long)),
      h("select", {placeholder: "Choose"}, ...options),
      h(
        "form",
        {id: "f", label: "Send", title: "You"},
        h("field", {name: "name", label: "Name", type: "text", required: true, value: "Ann"}),
        h("field", {name: "ok", label: "OK?", type: "boolean", value: "yes"}, h("option", {value: "yes"}, "Ja")),
        h("field", {name: "size", label: "Size", type: "choice"}, h("option", {value: "S"}), h("option", {value: "L"})),
      ),
    ]
    const {blocks} = writeMessage(content)
    expect(shownText(blocks)).toBe("Which?")
    const elements = blocks.flatMap(block =>
      block.type === "actions" ? (block.elements as readonly {value?: string}[]) : [],
    )
    expect(elements.map(({value}) => value).filter(value => value !== undefined)).toEqual([
      ...Array.from({length: 30}, (_, n) => `b${n}`),
      "f",
    ])
    expect(blocks.filter(({type}) => type === "input").map(({element}) => element)).toMatchObject([
      {type: "plain_text_input", action_id: "svc-field-31-name", initial_value: "Ann"},
      {type: "static_select", initial_option: {text: {text: "Ja"}, value: "yes"}},
      {type: "static_select", options: [{text: {text: "S"}, value: "S"}, {value: "L"}]},
    ])
  })
})

test.each([
  ["👍", "+1", "👍"],
  ["❤️", "heart", "❤"],
  [":custom_one:", "custom_one", ":custom_one:"],
  ["wave::skin-tone-3", "wave::skin-tone-3", ":wave::skin-tone-3:"],
])("the emoji %s is %s to Slack", (emoji, name, back) => {
  expect(emojiName(emoji)).toBe(name)
  expect(emojiText(name)).toBe(back)
})

test.each(["🦖", "<@U0ANN>", "a b", "::", ""])("%s is not an emoji name", emoji => {
  expect(emojiName(emoji)).toBeUndefined()
})
