import {describe, expect, test} from "vitest"
import {parseCall} from "../../../server/messages/command/command.ts"
import {unknownText} from "../../../server/messages/command/help.ts"
import {Router} from "../../../server/messages/command/router.ts"
import {timeFrom} from "../../../shared/duration.ts"
import {type Content, h, renderContent} from "../../../shared/sdk/content/elements.ts"
import {textOfEvent} from "../../../shared/sdk/content/parse-content.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import {Chance, seedOf, seedOfRun} from "../../support/machine/fault-run.ts"
import {unknownCommand} from "../../support/messages/answers.ts"
import {command, groupEvent, parsed} from "../../support/messages/commands.ts"

/** A command, other words and the digits of each script. */
const scripts = {
  Latin: ["größe", "déjà l'été ırmak Ǆ ﬁn", "0123456789"],
  Greek: ["βοήθειας", "Σίσυφος ὀξύς ἄνθρωπος", "０１２３４５６７８９"],
  Cyrillic: ["помощь", "ещё съесть їжа", "0123456789"],
  Persian: ["می‌روم", "خانه‌ها کتاب‌های؟", "۰۱۲۳۴۵۶۷۸۹"],
  Hebrew: ["עזרה", 'צה"ל שָׁלוֹם', "0123456789"],
  Devanagari: ["सहायता", "क्‍ष नमस्ते", "०१२३४५६७८९"],
  Thai: ["ช่วยเหลือ", "น้ำ กินข้าว", "๐๑๒๓๔๕๖๗๘๙"],
  Han: ["帮助", "天气 北京", "０１２３４５６７８９"],
  Kana: ["ヘルプ", "ｶﾞｷﾞｸﾞ がぎぐ", "0123456789"],
  Hangul: ["도움말", "한국어 날씨", "0123456789"],
} as const

const options = {order: {type: "string"}, loud: {type: "boolean"}} as const
const router = new Router(
  Object.values(scripts).map(([name]) => command(`${name} <who> <count:integer> [rest:text]`, {options})),
  ["/", "!"],
)

const all = (property: string) => {
  const pattern = new RegExp(`\\p{${property}}`, "u")
  return Array.from({length: 0x3100}, (_, code) => String.fromCodePoint(code)).filter(each => pattern.test(each))
}
const spaces = all("White_Space")
/** What phones and text fields insert. */
const hidden = [..."\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2068\u2069\ufeff\ufe0f"]
const dashes = ["--", "—", "––", "－－", "‐‐", "−−"]
const quotes = ['""', "''", "“”", "„“", "””", "‘’", "«»", "»«", "「」", "『』", "＂＂"]
const prose = [..."'’\"“”«»\\-–—,.!/@：、", "👩‍💻", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]

/** A message that somebody writes, with what it means. */
class Writer extends Chance {
  readonly #script = this.pick(Object.values(scripts))

  #some(of: readonly string[], most: number): string {
    return Array.from({length: this.below(most + 1)}, () => this.pick(of)).join("")
  }

  #space = () => this.pick(spaces) + this.#some(spaces, 1)

  /** A name with other case, width or accents, and with hidden characters. */
  #name(name: string): string {
    const upper = name.toUpperCase()
    const written = upper.toLowerCase() === name && this.next() < 0.5 ? upper : name
    const letters = [...written.normalize(this.pick(["NFC", "NFD"]))]
    const wide = (letter: string) =>
      /[!-~]/.test(letter) && this.next() < 0.3 ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter
    return letters.map(letter => wide(letter) + (this.next() < 0.2 ? this.pick(hidden) : "")).join("")
  }

  #word(): string {
    const letters = [...this.#script[1].replaceAll(" ", "")]
    return (
      this.pick(letters.filter(letter => /\p{L}/u.test(letter))) +
      this.#some([...letters, ...hidden, "'", "’", "\\"], 6)
    )
  }

  #text(): string {
    const letters = [...this.#script[1]]
    return `${this.pick(["'", "“", "\\", this.#word()])}${this.#some([...letters, ...hidden, ...spaces, ...prose], 40)}.`
  }

  /** A word as it is, or some in quotes. */
  #string(): [written: string, meant: string] {
    if (this.next() < 0.6) {
      const word = this.#word()
      return [word, word]
    }
    const [open = "", close = ""] = this.pick(quotes)
    const words = this.#script[1].replaceAll(/["']/g, "") + this.pick(["", "  \\n", ` \\${close}`])
    return [open + words + close, words.replace(`\\${close}`, close)]
  }

  #number(): [written: string, meant: number] {
    const digits = this.#some([..."0123456789"], 5) || "7"
    const written = [...digits].map(digit => this.#script[2][Number(digit)]).join("")
    const sign = this.pick(["", "", "-", "−", "–", "－"])
    return [sign + written, Number(digits) * (sign === "" ? 1 : -1)]
  }

  #option(): [written: string, meant: object] {
    if (this.next() < 0.5) return [this.pick(dashes) + this.#name("loud"), {loud: true}]
    const [written, order] = this.#string()
    const equals = this.pick(["=", "＝", this.#space()])
    return [this.pick(dashes) + this.#name("order") + equals + written, {order}]
  }

  #call(word: string): Content {
    const prefix = this.#some([...spaces, ...hidden], 2) + this.pick([..."/!／！"]) + this.#some(hidden, 1)
    const robbie = this.#name("Robbie")
    const separator = this.pick([": ", "：", "，", ",", " : ", "、", `\u2069${this.pick(spaces)}`, this.#space()])
    return this.pick<Content>([
      prefix + word,
      `${this.pick(["@", "＠", ""])}${robbie}${separator}${word}`,
      `@${robbie}${separator}${prefix}${word}`,
      `@${robbie}${prefix.trimStart()}${word}`,
      `${prefix}@${robbie}${separator}${word}`,
      `${prefix}${word}@${robbie}`,
      `@${robbie}${word}`,
      [h("at", {id: "bot-1", name: "Robbie"}), word],
      [h("at", {id: "bot-1", name: this.#word()}), separator + prefix + word],
    ])
  }

  message(): {content: string; path: string; call: object} {
    const [who, count, option] = [this.#string(), this.#number(), this.#option()]
    const rest = this.next() < 0.7 ? this.#text() : undefined
    const parts = [who[0], count[0], ...(rest === undefined ? [] : [rest])]
    const at = this.below(parts.length + 2)
    const args = at > parts.length ? parts : parts.toSpliced(at, 0, option[0])
    const call = this.#call(this.#name(this.#script[0]))
    const given = args.map(part => this.#space() + part).join("") + this.#some(spaces, 1)
    return {
      content: renderContent([...(typeof call === "string" ? [call] : (call as string[])), given]),
      path: this.#script[0],
      call: {who: who[1], count: count[1], ...(rest && {rest}), ...(at > parts.length ? {} : option[1])},
    }
  }
}

const read = (content: string, channel?: number) => {
  const event = groupEvent(content, channel)
  return router.route(textOfEvent(content), event)
}

test("a message in any script means what its writer meant, and its text stays as it is", () => {
  const seed = seedOfRun()
  for (let round = 0; round < 3000; round++) {
    const {content, path, call} = new Writer(seedOf(seed, String(round))).message()
    const routed = read(content)
    const about = `seed ${seed}, round ${round}: ${JSON.stringify(content)}`
    if (routed.is !== "command") throw new Error(`${about} is ${routed.is}`)
    const result = parseCall(routed.command, routed.rest)
    if (result.is === "misused") throw new Error(`${about}: ${result.why}`)
    expect([routed.command.path[0], {...result.args, ...result.options}], about).toEqual([path, call])
  }
})

describe("a message calls", () => {
  const greeter: Router = new Router([command("greet <name>"), command("info"), command("note add")], ["/", "!"])
  const routed = (text: string, channel?: number) => {
    const event = groupEvent(text, channel)
    const found = greeter.route(text, event)
    if (found.is !== "unknown") return found.is === "command" ? found.command.path.join(" ") : "none"
    return unknownText(greeter, found, {prefix: greeter.manner(text, event)})
  }

  test.each([
    ["/İNFO", "info"],
    ["/ınfo", "info"],
    ["/note\u3000\u200eadd", "note add"],
    ["@Robbie /gret", unknownCommand("gret", "/greet")],
    ["@Robbie gret", unknownCommand("gret", "@Robbie greet")],
    ["！gret", unknownCommand("gret", "!greet")],
    [`/greet${"\u0323\u0301".repeat(5000)}`, undefined],
    ["!greet@Other Ann", "none"],
    ["@Robbiefoo Ann", "none"],
    ["@Robbies greet Ann", "none"],
  ])("by the words that its writer meant: %j", (text, expected) => expect(routed(text)).toBe(expected))

  test("nothing, also directly, if it names another bot", () => {
    expect(routed("/greet@other Ann", channelType.direct)).toBe("none")
  })
})

describe("what a user types after a command's words", () => {
  test.each([
    ["<s...>", "'90s rock isn't over", {s: ["'90s", "rock", "isn't", "over"]}],
    ["<s>", "'it's fine'", {s: "it's fine"}],
    ["<s>", '"C:\\new folder\\"', 'Unexpected "folder\\""'],
    ["<s>", '"C:\\new folder"', {s: "C:\\new folder"}],
    ["<s>", '"a \\"b\\" c"', {s: 'a "b" c'}],
    ["<n:integer>", "＋５", {n: 5}],
    ["<n:number>", "−٢٫٥", {n: -2.5}],
    ["<n:integer>", "5²", 'n must be a whole number, not "5²"'],
    ["<n:integer>", "9".repeat(99), expect.stringMatching(/"9{59}…"$/)],
    ["<b:boolean>", "ＹＥＳ\u200f", {b: true}],
    ["<ids:integer[]>", "1，2、٣", {ids: [1, 2, 3]}],
    ["<c:rot|grün>", "GRU\u0308N", {c: "grün"}],
    [
      "[t:text]",
      "it's 5 o'clock \\'now\\' — a 'well-known' fact --loud",
      {t: "it's 5 o'clock \\'now\\' — a 'well-known' fact", loud: true},
    ],
    ["[t:text]", "use --force or --loud today", {t: "use --force or --loud today"}],
    ["[t:text]", "-- it is --loud", {t: "it is --loud"}],
    ["[t:text]", "—Hola", {t: "—Hola"}],
    ["[t:text]", "−5 degrees", {t: "−5 degrees"}],
    ["[t:text]", "\u200f \u200b", {}],
  ])("is read as people mean it: %s with %j", (pattern, rest, expected) => {
    expect(parsed(`a ${pattern}`, rest, {options})).toEqual(expected)
  })

  test.each([
    ["２ｄ", "1970-01-03T00:00:00.000Z"],
    ["2030–٠١–31", "2030-01-31T00:00:00.000Z"],
  ])("may be a time: %s", (text, expected) => expect(timeFrom(text, 0)).toBe(expected))

  test.each(all("Quotation_Mark"))("may be in quotes such as %s", mark => {
    expect(parsed("a <s>", `${mark}a b${mark}`)).toEqual({s: "a b"})
  })

  test.each([
    ...[
      '"',
      '"a ',
      "“a\u200f ",
      "\\",
      "— ",
      "--a=",
      "--order ",
      "-",
      "' \" « ",
      "\u0301\u0323",
      "\u200f",
      "@",
      "9",
      "٣",
    ],
  ])("is read in linear time: 400 kB of %j", unit => {
    const rest = unit.repeat(400_000 / unit.length)
    for (const pattern of ["a <s...>", "a [t:text]", "a <n:integer>"]) parsed(pattern, rest, {options})
    for (const text of [rest, `/${rest}`, `/a@${rest}`, `@Robbie${rest}`]) read(text, channelType.direct)
    expect(parsed("a [t:text]", `x${rest}y`)).toEqual({t: `x${rest}y`})
  })
})
