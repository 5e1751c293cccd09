import {expect, test} from "vitest"
import {componentsOf, hiddenValues, modalOf} from "../../../../server/adapters/discord/content/components.ts"
import {escapeText} from "../../../../server/adapters/discord/content/escape.ts"
import {longestText, writeParts} from "../../../../server/adapters/discord/content/parts.ts"
import {readMarkdown} from "../../../../server/adapters/discord/content/read.ts"
import {writeMarkdown} from "../../../../server/adapters/discord/content/write.ts"
import {h, type Node} from "../../../../shared/sdk/content/elements.ts"

const write = (...content: readonly Node[]) => writeMarkdown(content, () => false)

test.each<readonly [Node, string]>([
  ["plain", "plain"],
  [h("b", "bold"), "**bold**"],
  [h("i", h("b", "both")), "***both***"],
  [h("u", "a"), "__a__"],
  [h("s", "a"), "~~a~~"],
  [h("spl", "a"), "||a||"],
  [h("p", h("b", " spaced "), "."), " **spaced** ."],
  [h("code", "a*b"), "`a*b`"],
  [h("code", {lang: "ts"}, "const a = 1"), "```ts\nconst a = 1\n```"],
  [h("code", "a`b"), "`aˋb`"],
  [h("a", {href: "https://example.com/a_b"}), "https://example.com/a_b"],
  [h("a", {href: "https://example.com/(x)"}, "here"), "[here](<https://example.com/%28x%29>)"],
  [h("a", {href: "javascript:alert(1)"}, "here"), "here"],
  [h("a", {href: "https://evil.example/"}, "https://good.example/"), "https://good.example/ (https://evil.example/)"],
  [h("at", {id: "42"}), "<@42>"],
  [h("at", {role: "7"}), "<@&7>"],
  [h("at", {id: "42> <@43"}), "@42> \\<@43"],
  [h("at", {type: "all"}), "@everyone"],
  [h("sharp", {id: "600"}), "<#600>"],
  [h("emoji", {id: "99", name: "smile"}), "<:smile:99>"],
  [h("emoji", {id: "99", name: "x:1> @everyone <:y"}), "<:x1everyoney:99>"],
  [h("x-marquee", "unknown"), "unknown"],
  [h("img", {src: "https://example.com/a.png", title: "a"}), "[a] https://example.com/a.png"],
])("writes %j", (node, text) => expect(write(node).text).toBe(text))

const hostile = [
  "**bold** *slanted* __under__ ~~struck~~ ||secret|| `code` ```block```",
  "@everyone @here",
  "<@42> <@!42> <@&7> <#600> <:smile:99> <a:wave:98> <t:1700000000:R> </help:5> <id:customize>",
  "[here](https://evil.example/)",
  "# heading\n## second\n-# small\n> quoted\n>>> all of it\n- item\n* item\n1. one\n12. twelve",
  "\\*escaped\\* \\\\",
  "a_b_c __init__ snake_case _x_ *",
  "https://example.com/*bold*_x_||y||`z`[a](https://b)",
  "  - indented\n\t# tab",
  "*",
  "~~",
  "<",
]

test.each(hostile)("a user's text is not markup: %j", text => {
  const escaped = escapeText(text)
  const nodes = readMarkdown(escaped, {user: () => "x", channel: () => "x", everyone: true})
  expect(nodes.filter(node => typeof node !== "string" && node.type !== "a")).toEqual([])
  expect(escaped).not.toMatch(/^[ \t]*([#>-]|\d+[.)] )/m)
  expect(write(text).mentions).toEqual({parse: [], users: [], roles: [], replied_user: true})
})

test("a text between elements is not markup either", () => {
  expect(write("*", h("b", "x"), "*").text).toBe("\\***x**\\*")
  expect(write("[x]", "(https://evil.example/)").text).toBe("[x\\](https://evil.example/)")
  expect(write("<", "@42>").text).toBe("\\<@42>")
  expect(write("@", "everyone").text).toBe("\\@everyone")
})

test("notifies the users that elements name, and nobody else", () => {
  const {text, mentions} = write("<@1> @everyone ", h("at", {id: "42"}), h("at", {role: "7"}), h("at", {type: "here"}))
  expect(text).toBe("\\<@1> \\@everyone <@42><@&7>@here")
  expect(mentions).toEqual({parse: ["everyone"], users: ["42"], roles: ["7"], replied_user: true})
})

test("a quote is the message being answered", () => {
  expect(write(h("quote", {id: "123"}, "before"), "yes")).toMatchObject({text: "yes", reference: "123"})
})

test("a text whose escapes make it too long for Discord is cut into short enough parts", () => {
  const text = "*".repeat(longestText)
  const parts = writeParts([h("b", text), h("img", {src: "x"})], () => true)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.every(({written}) => written.text.length <= longestText)).toBe(true)
  expect(
    parts.map(({written}) => written.text.replaceAll("**", "").replaceAll("\\*", "*")).join("").length,
  ).toBeLessThanOrEqual(text.length)
  expect(parts.flatMap(({content}) => content).length).toBe(parts.length + 1)
})

test("a text is never cut inside a character", () => {
  const parts = writeParts(["*👍".repeat(900)], () => true)
  expect(parts.length).toBeGreaterThan(1)
  for (const {written} of parts) expect(written.text.isWellFormed()).toBe(true)
})

test("buttons are in rows of five, and a menu has its own row", () => {
  const buttons = Array.from({length: 6}, (_, n) => h("button", {id: `b${n}`, theme: n === 0 ? "danger" : ""}, `B${n}`))
  const menu = h("select", {placeholder: "Choose"}, h("option", {id: "o1"}, "One"), h("option", {id: "o2"}, "Two"))
  const {components, isWhole} = componentsOf([
    h("p", ...buttons),
    menu,
    h("button", {href: "https://example.com/"}, "Open"),
  ])
  expect(isWhole).toBe(true)
  expect(components.map(row => row.components.length)).toEqual([5, 1, 1, 1])
  expect(components[0]?.components[0]).toEqual({type: 2, style: 4, label: "B0", custom_id: "b0"})
  expect(components[2]?.components[0]).toEqual({
    type: 3,
    custom_id: "svc-select-2",
    placeholder: "Choose",
    options: [
      {label: "One", value: "o1"},
      {label: "Two", value: "o2"},
    ],
  })
  expect(components[3]?.components[0]).toEqual({type: 2, style: 5, label: "Open", url: "https://example.com/"})
})

const field = (
  name: string,
  more: Readonly<Record<string, string | number | boolean>> = {},
  ...options: readonly string[]
) =>
  h("field", {name, label: name, type: "text", required: true, ...more}, ...options.map(value => h("option", {value})))

test("a form is a modal with a field for each answer", () => {
  const form = h(
    "form",
    {id: "f", label: "Join", title: "Join us"},
    field("name", {maxLength: 40, value: "Ann"}),
    field("age", {type: "integer"}),
    field("shirt", {type: "choice"}, "S", "M"),
    h(
      "field",
      {name: "news", type: "boolean", value: "yes"},
      h("option", {value: "yes"}, "Ja"),
      h("option", {value: "no"}),
    ),
  )
  const modal = modalOf(form)
  expect(modal).toMatchObject({custom_id: "f", title: "Join us"})
  expect(modal.components.map(({component}) => component)).toEqual([
    {type: 4, custom_id: "name", style: 1, required: true, max_length: 40, value: "Ann"},
    {type: 4, custom_id: "age", style: 1, required: true, max_length: 4000},
    {
      type: 3,
      custom_id: "shirt",
      required: true,
      options: [
        {label: "S", value: "S", default: false},
        {label: "M", value: "M", default: false},
      ],
    },
    {
      type: 3,
      custom_id: "news",
      required: false,
      options: [
        {label: "Ja", value: "yes", default: true},
        {label: "no", value: "no", default: false},
      ],
    },
  ])
})

test("a form with more than five fields asks the required ones first, and keeps earlier answers", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"]
  const form = h("form", {id: "f"}, ...names.map((name, n) => field(name, n < 2 ? {value: "1"} : {required: n !== 6})))
  expect(modalOf(form).components.map(({component}) => component.custom_id)).toEqual(["c", "d", "e", "f", "g"])
  expect(hiddenValues(form)).toEqual({a: "1", b: "1"})
})
