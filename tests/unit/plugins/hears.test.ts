import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {compileHears} from "../../../server/generation/kinds/hears/compile.ts"

const nothing = () => {}

const compile = async (...patterns: readonly (string | RegExp)[]) => {
  const {declaring, close} = collectRegistrations("root/bot")
  for (const pattern of patterns) declaring.hears(pattern, nothing)
  return (await compileHears(close().hears)).map(({compiled}) => compiled)
}

const matchOf = async (pattern: string | RegExp, text: string) => (await compile(pattern))[0]?.match(text)

/** The messages about refused patterns, without the pattern itself. */
const refusalsOf = async (...patterns: readonly (string | RegExp)[]): Promise<readonly string[]> => {
  const error = await compile(...patterns).catch((error: unknown) => error)
  if (!(error instanceof AggregateError)) throw new Error("nothing was refused")
  return error.errors.map(({message}, index) => {
    const pattern = patterns[index] ?? ""
    const shown = typeof pattern === "string" ? `"${pattern}"` : String(pattern)
    expect(message.slice(0, shown.length + 9)).toBe(`hears(${shown}): `)
    return message.slice(shown.length + 9)
  })
}

test("a pattern has its name in its id, or its number if it has no name", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  declaring.hears(/one/, nothing)
  declaring.hears("two", {name: "two", retries: 2}, nothing)
  declaring.hears(/three/i, {permission: "trusted"}, nothing)
  const {hears} = close()
  expect(hears.map(({id, shown, definition}) => [id, shown, definition])).toEqual([
    ["root/bot/hears/0", "/one/", {}],
    ["root/bot/hears/two", '"two"', {name: "two", retries: 2}],
    ["root/bot/hears/1", "/three/i", {permission: "trusted"}],
  ])
})

test("an invalid pattern, handler or name, or too many, are refused in the declaration", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  const hears = declaring.hears as (...given: unknown[]) => void
  expect(() => hears(1, nothing)).toThrow(/^hears\(\) .*\bpattern\b/)
  expect(() => hears(/a/)).toThrow("hears(/a/) needs a handler")
  expect(() => hears(/a/, nothing, {})).toThrow("hears(/a/) needs a handler")
  expect(() => hears("a", {name: "a b"}, nothing)).toThrow(/^hears\(\): .*\bname\b/)
  expect(() => hears("a", {retries: 11}, nothing)).toThrow(/^hears\("a"\): retries .* 0 to 10$/)
  expect(() => hears("a", {order: "users"}, nothing)).toThrow(/^hears\("a"\): order .* user or none$/)
  for (let count = 0; count < 100; count++) hears(/a/, nothing)
  expect(() => hears(/a/, nothing)).toThrow(/\b100 patterns\b.*plugin\.on$/)
  close()
  expect(() => hears(/a/, nothing)).toThrow(/^hears\(\) .*\bsetup\b/)
})

test("a match has its text, its groups in order, and the named ones", async () => {
  expect(await matchOf(/(?<who>\w+) (owes|lends) (?<whom>\w+)( money)?/, "Well, ann owes bob!")).toEqual({
    text: "ann owes bob",
    groups: ["ann", "owes", "bob", undefined],
    named: {who: "ann", whom: "bob"},
  })
  expect(await matchOf("(?P<one>a)|(?<two>b)", "b")).toEqual({
    text: "b",
    groups: [undefined, "b"],
    named: {one: undefined, two: "b"},
  })
  expect(await matchOf("(?P<one>a)|(?<two>b)", "c")).toBeUndefined()
})

test.each<[RegExp, readonly string[]]>([
  [/good morning/i, ["Good Morning!", "GOOD MORNING", "good evening"]],
  [/^(?:hi|hello)\b[,!. ]*(?<name>\w+)?$/i, ["hi", "Hello, Ann", "hello there you", "high"]],
  [/#(\d{1,6})\b/, ["see #12 and #13", "#1234567", "# 12"]],
  [/^second$/m, ["first\nsecond\nthird", "first second"]],
  [/a.b/, ["a\nb", "aüb"]],
  [/a.b/u, ["a😀b"]],
  [/a.b/s, ["a\nb"]],
  [/\p{Lu}\p{Ll}+/u, ["Ärger", "ärger", "ΑΒΓ Δέλτα"]],
  [/[\w.+-]+@[\w-]+\.[a-z]{2,}/i, ["write to ann.b+c@example.org today", "@example.org"]],
  [/https?:\/\/\S+/, ["see https://example.org/a?b#c", "http:/x"]],
  [/\u{1F600}|\u00e4/u, ["😀", "ä", "a"]],
  [/x|[\]^-]/, ["\nx", "]", "-", "^", "y"]],
  [/a{2,3}?|b*?c/, ["aaa", "bbc", "c"]],
  [/é/i, ["É", "e"]],
  [/^\s*$/, ["", " \t\n", " a "]],
])("%s matches what JavaScript matches", async (pattern, texts) => {
  const [compiled] = await compile(pattern)
  for (const text of texts) {
    const found = pattern.exec(text)
    expect(compiled?.test(text), text).toBe(found !== null)
    const expected = found && {text: found[0], groups: found.slice(1), named: {...found.groups}}
    expect(compiled?.match(text), text).toEqual(expected ?? undefined)
  }
})

test("spaces beyond ASCII and line breaks other than \\n follow RE2", async () => {
  const [space, any, all] = await compile(/a\sb/, /a.b/, /a[\s\p{Z}]b/u)
  for (const text of ["a\u00a0b", "a\u3000b"]) {
    expect(space?.test(text)).toBe(false)
    expect(all?.test(text)).toBe(true)
  }
  expect(any?.test("a\u2028b")).toBe(true)
})

test("patterns that would take JavaScript years are answered", async () => {
  const longest = 16_384
  const evil: readonly (readonly [string, string])[] = [
    ["(a+)+$", "a"],
    ["(a|a)*b$", "a"],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
    ["(?:[ab]?){60}[cd]", "ab"],
    ["[ab]*a[ab]{180}[cd]", "aababb"],
  ]
  const all = await compile(...evil.map(([pattern]) => pattern))
  for (const [index, [pattern, part]] of evil.entries()) {
    const text = `${part.repeat(longest).slice(0, longest - 1)}!`
    expect(all[index]?.test(text), pattern).toBe(false)
    expect(all[index]?.match(text), pattern).toBeUndefined()
  }
})

test("a pattern beyond linear time is refused, with position and next step", async () => {
  const refused = await refusalsOf(
    /no(?=w)/,
    /(?<!un)done/,
    /x(?!y)z/,
    /(a)\1/,
    /(?<q>['"]).*?\k<q>/,
    "ab(?>c)",
    "a/b++",
  )
  expect(refused).toEqual([
    expect.stringMatching(/^\(\?= at character 3 .*lookaround.*\blinear time\b.*\. .*handler$/),
    expect.stringMatching(/^\(\?<! .*lookaround.*\blinear time\b.*\. .*handler$/),
    expect.stringMatching(/^\(\?! at character 2 .*lookaround.*\blinear time\b.*\. .*handler$/),
    expect.stringMatching(/^\\1 at character 4 .*backreference.*\blinear time\b.*\. .*groups.*handler$/),
    expect.stringMatching(/^\\k at character 14 .*backreference.*\blinear time\b.*\. .*groups.*handler$/),
    expect.stringMatching(/^\(\?> at character 3 .*possessive quantifier.*\blinear time\b.*\. .*plain form/),
    expect.stringMatching(/^\+\+ at character 4 .*possessive quantifier.*\blinear time\b.*\. .*plain form/),
  ])
})

test("a pattern that RE2 does not know is refused, with its position", async () => {
  const patterns = ["a(b", "tea[z-a]", "a**", "\\p{Foo}!", "(?<n>a)(?<n>b)", "x(?<a-b>c)", "\\", "a{1,2000}"]
  const refused = await refusalsOf(...patterns)
  expect(refused.filter(text => !text.endsWith(" RE2"))).toEqual([])
  expect(refused.map(text => text.slice(0, text.lastIndexOf(". ")))).toEqual([
    `missing closing ): a(b`,
    `invalid character class range: z-a at character 5`,
    `invalid nested repetition operator: ** at character 2`,
    `invalid character class range: \\p{Foo} at character 1`,
    `duplicate capture group name: n`,
    `invalid named capture: (?<a-b> at character 2`,
    `trailing backslash at end of expression`,
    `invalid repeat count: {1,2000} at character 2`,
  ])
})

test("a meaningless flag, an empty pattern and a large one are refused", async () => {
  const empty = expect.stringMatching(/\bempty\b.*plugin\.on\("message-created"\)$/)
  expect(await refusalsOf(/a/g, /a/dgy, /a/v, /(?:)/, "", "(?:ab){101}")).toEqual([
    expect.stringMatching(/\bflag g\b.* i, m, s\b/),
    expect.stringMatching(/\bflags d, g, y\b.* i, m, s\b/),
    expect.stringMatching(/\bflag v\b.* i, m, s\b/),
    empty,
    empty,
    expect.stringMatching(/\b204 instructions\b.*\b200\b.*\{1,50\}/),
  ])
})

test("the errors of all refused patterns have the stack of their declaration", async () => {
  const error = await compile("a(", "fine", "b(").catch((error: unknown) => error)
  if (!(error instanceof AggregateError)) throw new Error("nothing was refused")
  expect(error.errors).toHaveLength(2)
  expect(error.message).toBe("2 patterns are refused")
  for (const {stack} of error.errors) expect(stack).toContain("hears.test.ts")
})
