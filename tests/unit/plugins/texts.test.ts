import {describe, expect, test} from "vitest"
import {DeclaredTexts} from "../../../server/generation/plugins/declarations/texts.ts"
import {parseMessage, plainMessage} from "../../../server/runtime/text/message.ts"
import type {TextValues} from "../../../shared/sdk/text/texts.ts"

const codeOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? ("code" in error ? `${error.code}: ${error.message}` : error.message) : error
  }
}

describe("a message of text and names", () => {
  // An empty choice makes the library parse the message instead of taking a shortcut.
  const through = async (text: string, values: Record<string, string | number>) =>
    (await parseMessage(`${text}{never, select, other {}}`, "en")).format({...values, never: ""})

  test.each(["Hello, {name}!", "{ name }", "it's {name}'s", "a < b & # {name}", "", "{name}{name}", "{n} items"])(
    "%s is formatted without the library exactly as with it",
    async text => {
      const values = {name: "<b>{x}</b>", n: 1234.5}
      expect(plainMessage(text)?.format(values)).toBe(await through(text, values))
    },
  )

  test.each(["'{'name'}'", "{n, number}", "{a b}", "{", "}", "two ''", "'<b>'"])("%s is left to the library", text =>
    expect(plainMessage(text)).toBeUndefined(),
  )

  test("accepts only own properties as values", () => {
    expect(codeOf(() => plainMessage("{toString}")?.format({}))).toBe("the value of {toString} is missing")
  })
})

describe("the texts of a plugin", () => {
  const table = {
    en: {hello: "Hello, {name}!", items: "{count, plural, one {# item} other {# items}}", bye: "Bye."},
    "de-AT": {hello: "Servus, {nmae}!", items: "{count, plural, one {# Ding} other {# Dinge}}"},
  }

  test("come in the first of the languages that has the key, else in the table's first", async () => {
    const texts = new DeclaredTexts(table)
    await texts.load()
    expect(texts.say(["de"], "items", {count: 1})).toBe("1 Ding")
    expect(texts.say(["de-AT"], "bye")).toBe("Bye.")
    expect(texts.say(["fr", "de"], "items", {count: 20})).toBe("20 Dinge")
    expect(texts.say(["fr"], "items", {count: 2000})).toBe("2,000 items")
    expect(texts.say([], "hello", {name: "<at id='1'/>"})).toBe("Hello, <at id='1'/>!")
  })

  test("report keys that languages lack, and values that only one language uses", async () => {
    const texts = new DeclaredTexts(table)
    await texts.load()
    expect(texts.notes).toEqual([
      expect.stringMatching(/^de-AT .*\bbye\b/),
      expect.stringMatching(/^de-AT\.hello .*\{nmae\}.*\ben\.hello\b/),
    ])
  })

  test("show dates in UTC, or each in its own timezone", async () => {
    const texts = new DeclaredTexts({
      en: {due: "{day, date, ::yyyyMMdd} {day, time, short}, {end, time, ::HHmm}", at: "{at}{n, number}"},
    })
    await texts.load()
    const at = Date.UTC(2026, 10, 30, 22, 30)
    const due = (day: unknown, end: unknown) => codeOf(() => texts.say(["en"], "due", {day, end} as TextValues))
    expect(due(at, new Date(at))).toMatch(/^11\/30\/2026 10:30\sPM, 22:30$/)
    const berlin = {at, timezone: "Europe/Berlin"}
    expect(due(berlin, {at: new Date(at), timezone: "Asia/Tokyo"})).toMatch(/^11\/30\/2026 11:30\sPM, 07:30$/)
    expect(due(berlin, {at, timezone: "Mars/Olympus"})).toMatch(/^text_invalid: en\.due: .*Mars\/Olympus/)
    expect(codeOf(() => texts.say(["en"], "at", {at: berlin, n: 1}))).toMatch(/^text_invalid: en\.at: .*\{at\}/)
  })

  test("refuse invalid keys, values and languages", async () => {
    const texts = new DeclaredTexts(table)
    expect(codeOf(() => texts.say(["en"], "items", {count: 1}))).toMatch(/^not_active: .*"items"/)
    await texts.load()
    expect(codeOf(() => texts.say(["en"], "helo"))).toMatch(/^text_unknown: .*"helo" .*"hello".* hello, items, bye$/)
    expect(codeOf(() => texts.say(["en"], "hello", "Ann"))).toMatch(/^text_invalid: en\.hello: .*\bstring\b/)
    expect(codeOf(() => texts.say(["en"], "hello"))).toMatch(/^text_invalid: en\.hello: .*\{name\} (?!.*\bobject\b)/)
    expect(codeOf(() => texts.say(["en"], "hello", {name: {} as never}))).toMatch(
      /^text_invalid: en\.hello: .*\{name\} .*\bobject\b/,
    )
    expect(codeOf(() => texts.say(["en_GB"], "bye"))).toMatch(/^text_invalid: "en_GB" /)
  })

  test.each([
    [undefined, "texts() needs messages by language and key: {en: {hello: …}}"],
    [{}, "texts() needs messages by language and key: {en: {hello: …}}"],
    [{english: {}}, 'texts(): "english" is not a language tag (BCP 47) such as en, de-AT or zh-Hans'],
    [{de: {}, DE: {}}, "texts(): the language de is given twice"],
    [{en: "hello"}, "texts(): en needs messages by key"],
    [{en: {hello: 7}}, "texts(): en.hello is number; a message must be text"],
  ])("refuse %j as a table", (given, message) => expect(codeOf(() => new DeclaredTexts(given))).toBe(message))

  test.each([
    ["Hello, {name", "texts(): de.hello is not a valid message: expect argument closing brace, at 1:8 of the message"],
    ["{n, plural, one {#}}", "texts(): de.hello is not a valid message: missing other clause, at 1:20 of the message"],
    ["{n, numbr}", "texts(): de.hello is not a valid message: invalid argument type, at 1:5 of the message"],
  ])("refuse the invalid message %s in the declaration", async (hello, message) => {
    const texts = new DeclaredTexts({en: {hello: "Hello"}, de: {hello}})
    const error: unknown = await texts.load().catch(thrown => thrown)
    expect(error).toMatchObject({message})
    expect((error as Error).stack).toContain("texts.test.ts")
  })
})
