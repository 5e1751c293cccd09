import {describe, expect, test} from "vitest"
import {parse, parseDocument, stringify} from "yaml"
import {withoutValue, withValue} from "../../../server/config/edit/text.ts"
import {Chance} from "../../support/machine/chance.ts"

const bot = `# The bot of the team
log_level: info # quiet

plugins:
  # says hello
  greeter:
    config:
      greeting: "Hello" # in quotes
      words: [one, two] # a short list
      often: true
  irc:
    endpoints:
      # the main account
      - id: main
        nick: bot
        channels:
          - "#one" # busy
          - "#two"
      - {id: other, nick: "b"}
  bare:
  empty: {}
`

describe("writing a value keeps every other character:", () => {
  test.each<[string, (string | number)[], unknown, string, string]>([
    ["a quoted string", ["plugins", "greeter", "config", "greeting"], "Hi: you", '"Hello"', '"Hi: you"'],
    ["a plain scalar", ["log_level"], "debug", "info # quiet", "debug # quiet"],
    ["a boolean", ["plugins", "greeter", "config", "often"], false, "often: true", "often: false"],
    ["an item between brackets", ["plugins", "greeter", "config", "words", 1], "a, b", "[one, two]", '[one, "a, b"]'],
    [
      "one more item between brackets",
      ["plugins", "greeter", "config", "words"],
      ["one", "two", "x"],
      "two]",
      "two, x]",
    ],
    ["a list that becomes shorter", ["plugins", "greeter", "config", "words"], ["two"], "[one, two]", "[two]"],
    ["a name of a variable", ["plugins", "irc", "endpoints", 0, "nick"], "${NICK}", "nick: bot", "nick: ${NICK}"],
    [
      "a name of a variable between brackets",
      ["plugins", "irc", "endpoints", 1, "nick"],
      "${NICK}",
      '{id: other, nick: "b"}',
      '{id: other, nick: "${NICK}"}',
    ],
    [
      "a new key",
      ["plugins", "greeter", "config", "name"],
      "true",
      "often: true\n",
      'often: true\n      name: "true"\n',
    ],
    [
      "a new mapping",
      ["plugins", "greeter", "config", "limits"],
      {hour: 1, of: ["a"]},
      "often: true\n",
      "often: true\n      limits:\n        hour: 1\n        of:\n          - a\n",
    ],
    ["a key below a null", ["plugins", "bare", "config", "x"], 1, "bare:\n", "bare:\n    config:\n      x: 1\n"],
    [
      "a key below an empty mapping",
      ["plugins", "empty", "enabled"],
      false,
      "empty: {}\n",
      "empty:\n    enabled: false\n",
    ],
    [
      "one more item of lines",
      ["plugins", "irc", "endpoints", 0, "channels", 2],
      "#three",
      '- "#two"\n',
      '- "#two"\n          - "#three"\n',
    ],
    [
      "one more account",
      ["plugins", "irc", "endpoints", 2],
      {id: "third", channels: ["#x"]},
      '{id: other, nick: "b"}\n',
      '{id: other, nick: "b"}\n      - id: third\n        channels:\n          - "#x"\n',
    ],
    ["lines of text", ["plugins", "greeter", "config", "greeting"], "a\nb", '"Hello"', '"a\\nb"'],
    ["another script", ["plugins", "greeter", "config", "greeting"], "你好 👋", '"Hello"', '"你好 👋"'],
    [
      "a scalar that becomes a mapping",
      ["plugins", "greeter", "config", "often"],
      {a: 1},
      "often: true\n",
      "often:\n        a: 1\n",
    ],
    [
      "a list of lines that becomes empty",
      ["plugins", "irc", "endpoints", 0, "channels"],
      [],
      'channels:\n          - "#one" # busy\n          - "#two"\n',
      "channels: []\n",
    ],
  ])("%s", (_, path, value, before, after) => {
    expect(withValue(bot, path, value)).toBe(bot.replace(before, after))
    const windows = bot.replaceAll("\n", "\r\n")
    expect(withValue(windows, path, value)).toBe(bot.replace(before, after).replaceAll("\n", "\r\n"))
  })
})

describe("removing a path keeps every other character:", () => {
  test.each<[string, (string | number)[], string, string]>([
    ["a key", ["plugins", "greeter", "config", "often"], "      often: true\n", ""],
    ["a key with lines", ["plugins", "greeter"], bot.slice(bot.indexOf("  greeter:"), bot.indexOf("  irc:")), ""],
    [
      "the first item, with a comment above it",
      ["plugins", "irc", "endpoints", 0],
      bot.slice(bot.indexOf("      - id: main"), bot.indexOf("      - {id: other")),
      "",
    ],
    ["the last item", ["plugins", "irc", "endpoints", 1], '      - {id: other, nick: "b"}\n', ""],
    ["a key between brackets", ["plugins", "irc", "endpoints", 1, "nick"], '{id: other, nick: "b"}', "{id: other}"],
    ["the first key between brackets", ["plugins", "irc", "endpoints", 1, "id"], "{id: other, ", "{"],
    ["the first key of an item", ["plugins", "irc", "endpoints", 0, "id"], "- id: main\n        nick", "- nick"],
    ["an item between brackets", ["plugins", "greeter", "config", "words", 0], "[one, two]", "[two]"],
    ["a plugin without a value", ["plugins", "bare"], "  bare:\n", ""],
    ["nothing, if nothing is there", ["plugins", "greeter", "config", "none", "deep"], "", ""],
  ])("%s", (_, path, before, after) => {
    expect(withoutValue(bot, path)).toBe(bot.replace(before, after))
    expect(withoutValue(bot.replaceAll("\n", "\r\n"), path)).toBe(bot.replace(before, after).replaceAll("\n", "\r\n"))
  })

  test("removing the last key leaves an empty mapping", () => {
    expect(withoutValue("plugins:\n  a:\n    x: 1 # one\n# end\n", ["plugins", "a", "x"])).toBe(
      "plugins:\n  a: {} # one\n# end\n",
    )
  })
})

test.each<[string, string, (string | number)[]]>([
  ["the place is an alias", "x: &all {a: {b: 1}}\nplugins: *all\n", ["plugins", "a", "b"]],
  ["others are its alias", "plugins:\n  a: &one\n    b: 1\n  c: *one\n", ["plugins", "a", "b"]],
  ["the file is broken", "plugins: [\n", ["plugins", "a"]],
  ["the path leads through a scalar", "plugins: {a: text}\n", ["plugins", "a", "b"]],
  ["the path leads past the end of a list", "plugins: [1]\n", ["plugins", 3]],
])("nothing is written if %s", (_, text, path) => {
  expect(withValue(text, path, 2)).toBeUndefined()
})

test("an alias is replaced, and its anchor stays", () => {
  const text = "x: &all {a: 1}\nplugins: *all # both\n"
  expect(withValue(text, ["plugins"], {b: 2})).toBe("x: &all {a: 1}\nplugins: # both\n  b: 2\n")
})

test("a comment with a bracket and a missing last line break do no harm", () => {
  expect(withValue("a: {b: 1} # }", ["a", "c"], 2)).toBe("a: {b: 1, c: 2} # }")
  expect(withValue("a:\n  b: 1", ["a", "c"], [1])).toBe("a:\n  b: 1\n  c:\n    - 1\n")
  expect(withValue("a: {\n  b: 1, # one\n}\n", ["a", "c"], 2)).toBe("a: {\n  b: 1, c: 2, # one\n}\n")
})

describe("written values are read back unchanged", () => {
  const pieces = [
    "a",
    "Z9",
    " ",
    ":",
    "#",
    "- ",
    "'",
    '"',
    "\\",
    "\n",
    "\t",
    "{",
    "]",
    ",",
    "${NAME}",
    "ü",
    "👋",
    "null",
    "1e3",
    "~",
    "&",
    "*",
    "!",
    "%",
    "|",
    ">",
    "\u0085",
    "\u2028",
    "@",
    "`",
    "?",
  ]

  test.each([1, 2, 3])("from seed %i", seed => {
    const chance = new Chance(seed)
    const below = (most: number) => chance.below(most)
    const text = () => Array.from({length: below(6)}, () => pieces[below(pieces.length)]).join("")
    const scalar = () => [text(), below(1000) - 500, chance.next(), true, false, null, text(), text()][below(8)]
    const value = (depth: number): unknown => {
      const kind = depth > 2 ? 9 : below(10)
      if (kind < 2) return Array.from({length: below(4)}, () => value(depth + 1))
      if (kind < 4)
        return Object.fromEntries(
          Array.from({length: below(4)}, (_, at) => [`k${at}${below(2) === 0 ? "" : text()}`, value(depth + 1)]),
        )
      return scalar()
    }
    /** Writes a value as a user might, in lines or between brackets, with comments. */
    const written = (): string => {
      const plain = stringify(
        {plugins: {one: value(0), two: value(0), three: {config: value(0)}}},
        {collectionStyle: ["any", "any", "any", "flow"][below(4)] as "any", indentSeq: below(2) === 0},
      )
      return plain
        .split("\n")
        .map(line =>
          below(3) === 0 && /[a-z0-9]$/.test(line) && !/["'|>]/.test(plain) ? `${line} # note ${below(9)}` : line,
        )
        .join("\n")
    }
    const pathIn = (settings: unknown): (string | number)[] => {
      if (typeof settings !== "object" || settings === null || below(5) === 0) return []
      const keys = Object.keys(settings)
      const key = keys[below(keys.length)]
      if (key === undefined || below(6) === 0) return [Array.isArray(settings) ? settings.length : `new${below(9)}`]
      return [Array.isArray(settings) ? Number(key) : key, ...pathIn((settings as Record<string, unknown>)[key])]
    }
    let edits = 0
    for (let round = 0; round < 80; round++) {
      let now = written()
      // yaml does not write every text between brackets in a form that it can read again.
      while (parseDocument(now).errors.length > 0) now = written()
      for (let step = 0; step < 4; step++) {
        const settings = parse(now) as {plugins: Record<string, unknown>}
        const rest = pathIn(settings.plugins)
        const path = ["plugins", ...rest]
        const isRemoval = rest.length > 0 && below(3) === 0
        const given = value(0)
        const edited = isRemoval ? withoutValue(now, path) : withValue(now, path, given)
        expect(edited, JSON.stringify({seed, round, now, path, given, isRemoval})).toBeDefined()
        if (edited === undefined) continue
        expect(parseDocument(edited).errors).toEqual([])
        if (!isRemoval) expect(valueAt(parse(edited), path)).toEqual(given)
        edits++
        now = edited
      }
    }
    expect(edits).toBe(320)
  })
})

const valueAt = (settings: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], settings)
