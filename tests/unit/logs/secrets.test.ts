import {describe, expect, test} from "vitest"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {Mask} from "../../../server/runtime/logs/mask.ts"
import {readLog} from "../../../server/runtime/logs/page.ts"
import {Secret} from "../../../shared/secret.ts"
import {encodingsOf, tracesOf} from "../../support/logs/encodings.ts"
import {Chance} from "../../support/machine/chance.ts"

const secrets = {
  token: "f3Kp0sVtQ8yJ2mZw7LrXc5HbNd1GaEuT",
  "eight characters": "hunter2!",
  punctuation: `pass"word/with?signs&'and'\\more+%41 =`,
  "a trailing backslash": "ends-with\\",
  "a PEM": "-----BEGIN KEY-----\nMIIB/a+b==\nline two\n-----END KEY-----\n",
  unicode: "pässwörd-☃-🔑-end",
  digits: "1234567890123",
  "looks like base64": "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
}

const collect = (format: "json" | "pretty") => {
  const lines: string[] = []
  const logs = createLogs({level: "silly", format, colors: false, write: line => lines.push(line)})
  return {...logs, lines}
}

const expectNoTrace = (text: string, value: string, ...context: unknown[]) => {
  for (const trace of tracesOf(value)) {
    if (text.includes(trace)) throw new Error(`${JSON.stringify(context)}: ${JSON.stringify(trace)} is in ${text}`)
  }
}

describe.each(["json", "pretty"] as const)("no record in %s has a secret:", format => {
  test.each(Object.entries(secrets))("%s, as message, field, field name, in an error, cause, or nested", (_, value) => {
    for (const [encoding, text] of Object.entries(encodingsOf(value))) {
      const {log, hide, lines, history} = collect(format)
      hide(Object.values(secrets))
      log.info(text)
      log.info("field", {text, nested: {list: [text, new Map([[text, text]])]}, [text]: 1})
      log.error("error", {error: new Error(text, {cause: new AggregateError([new TypeError(text)], text)})})
      log.with({bound: text}).warn(`within a line of ${text} and more`)
      expect(lines).toHaveLength(4)
      for (const line of lines) {
        expectNoTrace(line, value, encoding)
        expect(line).toContain("[secret]")
      }
      const kept = history.below(9, {level: "silly", plugin: undefined}, 9)
      for (const {json} of kept) expectNoTrace(json, value, encoding)
    }
  })
})

describe("a secret in a record", () => {
  test("is hidden as a number", () => {
    const {log, hide, lines} = collect("json")
    hide([secrets.digits])
    log.info("a number", {big: Number(secrets.digits), small: 12345678})
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({big: "[secret]", small: 12345678})
  })

  test("is hidden completely when a long text is cut inside it", () => {
    const {log, hide, lines} = collect("json")
    hide(Object.values(secrets))
    for (let before = 16_384 - 80; before < 16_384 + 8; before++)
      log.info(`${"-".repeat(before)}${secrets.token}${"+".repeat(9000)}`)
    for (const line of lines) {
      expect(line).toContain("characters cut")
      for (let length = 8; length <= secrets.token.length; length += 4) {
        expect(line).not.toContain(secrets.token.slice(0, length))
      }
    }
  })

  test("that is registered later is hidden when earlier records are shown", () => {
    const logs = collect("json")
    logs.log.info(`early ${secrets.token}`)
    logs.hide([secrets.token])
    const shown = readLog(logs, "run", {filter: {level: "silly", plugin: undefined}, limit: 9})
    expect(shown.items[0]?.message).toBe("early [secret]")
  })

  test("is hidden in a Secret, and in fields with the names of credentials", () => {
    const {log, lines} = collect("json")
    log.info("names", {
      secret: new Secret("s"),
      password: "p",
      dbPassword: "p",
      accessToken: "t",
      api_key: 1,
      headers: {Authorization: "Bearer x", cookie: "a=b", "x-api-key": "1", accept: "*/*"},
      keyboard: "k",
      tokens: 7,
    })
    const hidden = "[secret]"
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      secret: hidden,
      password: hidden,
      dbPassword: hidden,
      accessToken: hidden,
      api_key: hidden,
      headers: {Authorization: hidden, cookie: hidden, "x-api-key": hidden, accept: "*/*"},
      keyboard: "k",
      tokens: 7,
    })
  })

  test.each([
    ["got Bearer abcdefghijklmnop1234", "got Bearer [secret]"],
    ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [secret]"],
    ["AUTHORIZATION: BeArEr abcdefghijklmnop1234", "AUTHORIZATION: BeArEr [secret]"],
    ['{"authorization":"token abc"}', '{"authorization":"token [secret]"}'],
    ["cannot open libsql://me:pw@db.example/x", "cannot open libsql://me:[secret]@db.example/x"],
    ["the bearer of this", "the bearer of this"],
    ["see http://host:8068/a@b", "see http://host:8068/a@b"],
  ])("is hidden when nobody has named it as a credential: %s", (text, shown) => {
    expect(new Mask().text(text)).toBe(shown)
  })
})

describe("hiding secrets keeps JSON valid:", () => {
  test.each(Object.entries(secrets))("%s, in every encoding", (_, value) => {
    const mask = new Mask()
    mask.hide(Object.values(secrets))
    for (const [encoding, text] of Object.entries(encodingsOf(value))) {
      const json = mask.json(JSON.stringify({[text]: text, list: [text], n: 1}))
      expectNoTrace(json, value, encoding)
      expect(JSON.parse(json)).toMatchObject({n: 1})
    }
  })

  test("text that only looks like a secret between escapes stays", () => {
    const mask = new Mask()
    mask.hide(["newcomers-n", 'x","y":"z'])
    for (const value of [{a: "\newcomers-n"}, {x: "x", y: "z"}, {a: "\\newcomers-"}]) {
      expect(JSON.parse(mask.json(JSON.stringify(value)))).toEqual(value)
    }
    expect(JSON.parse(mask.json(JSON.stringify({a: "\\newcomers-n"})))).toEqual({a: "\\[secret]"})
  })
})

test("in 2,000 random texts each secret is found, and no other text is changed", () => {
  const chance = new Chance(20_260_101)
  const alphabet = 'abAB01+/=_-"\\%\n ü'
  const word = (length: number) => Array.from({length}, () => chance.pick([...alphabet])).join("")
  for (let round = 0; round < 2000; round++) {
    const hidden = Array.from({length: 1 + chance.below(5)}, () => word(8 + chance.below(12)))
    const mask = new Mask()
    mask.hide(hidden)
    const pieces = Array.from({length: 8}, () => (chance.below(3) === 0 ? chance.pick(hidden) : word(chance.below(9))))
    const text = pieces.join("")
    const shown = mask.text(text)
    for (const secret of hidden) expect(shown.includes(secret), JSON.stringify({hidden, text, shown})).toBe(false)
    const json = mask.json(JSON.stringify({text}))
    expect(typeof JSON.parse(json).text).toBe("string")
    if (!hidden.some(secret => text.includes(secret)))
      expect(shown.includes("[secret]") && !text.includes("[secret]")).toBe(false)
  }
})
