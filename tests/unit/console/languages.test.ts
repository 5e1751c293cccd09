import {describe, expect, test} from "vitest"
import {de} from "../../../server/console/web/texts/de.ts"
import {counting} from "../../../server/console/web/texts/en/counting.ts"
import {en} from "../../../server/console/web/texts/en/en.ts"
import {es} from "../../../server/console/web/texts/es.ts"
import {firstSpoken} from "../../../server/console/web/texts/language.ts"
import {spoken} from "../../../server/console/web/texts/spoken.ts"
import {zh} from "../../../server/console/web/texts/zh.ts"

type Text = string | readonly string[] | ((...given: never[]) => string)

const isText = (part: unknown): part is Text =>
  typeof part === "string" || typeof part === "function" || Array.isArray(part)

/** Returns every text of a table by its path, such as `jobs.deeds.run`. */
const textsOf = (table: object, path = ""): [place: string, text: Text][] =>
  Object.entries(table).flatMap(([key, part]: [string, unknown]): [string, Text][] => {
    const place = path === "" ? key : `${path}.${key}`
    if (isText(part)) return [[place, part]]
    if (typeof part === "object" && part !== null) return textsOf(part, place)
    throw new Error(`${place} is not a text`)
  })

/** An argument that works as a string or as a number. */
class Given extends String {
  toFixed(): string {
    return this.valueOf()
  }
}

const given = ["41", "52", "63", "74"].map(name => new Given(name))

/** Returns the properties of a text that must be equal in every language: its kind, and how it uses its arguments. */
const shapeOf = (text: Text): unknown => {
  if (typeof text === "string") return {names: (text.match(/\{\w+\}/g) ?? []).toSorted()}
  if (typeof text !== "function") return `${text.length} strings`
  const said = Reflect.apply(text, undefined, given)
  if (typeof said !== "string") throw new Error("a text returns no string")
  return {takes: text.length, says: given.map(String).filter(name => said.includes(name))}
}

const english = new Map(textsOf(en))

describe.each(Object.entries({de, zh, es}))("the texts in %s", (_, table) => {
  const others = new Map(textsOf(table))

  test("are complete, without extra ones", () => {
    expect([...english.keys()].filter(place => !others.has(place))).toEqual([])
    expect([...others.keys()].filter(place => !english.has(place))).toEqual([])
  })

  test("use all arguments of the English ones", () => {
    const wrong = [...english].flatMap(([place, text]) => {
      const other = others.get(place)
      const shapes = [text, ...(other === undefined ? [] : [other])].map(each => JSON.stringify(shapeOf(each)))
      return new Set(shapes).size > 1 ? [`${place}: ${shapes.join(" or ")}`] : []
    })
    expect(wrong).toEqual([])
  })

  test("are never empty", () => {
    expect([...others].filter(([, text]) => text.length === 0 && typeof text !== "function")).toEqual([])
  })
})

test("a missing translation is in English, and a stored part follows the current language", () => {
  let now: {readonly jobs?: {readonly run?: string}} | undefined
  const table = spoken({jobs: {run: "Run now", list: "Jobs"}, close: "Close"}, () => now)
  const {jobs} = table
  expect(JSON.stringify(table)).toBe('{"jobs":{"run":"Run now","list":"Jobs"},"close":"Close"}')
  now = {jobs: {run: "Jetzt ausführen"}}
  expect(JSON.stringify([jobs, table.close])).toBe('[{"run":"Jetzt ausführen","list":"Jobs"},"Close"]')
  now = {}
  expect(JSON.stringify(jobs)).toBe('{"run":"Run now","list":"Jobs"}')
})

test("numbers and their words follow the language", () => {
  const forms = {one: "# Lauf", other: "# Läufe"}
  expect([0, 1, 2, 1200].map(count => counting("de")(count, forms))).toEqual([
    "0 Läufe",
    "1 Lauf",
    "2 Läufe",
    "1.200 Läufe",
  ])
  expect(counting("zh-CN")(1, {other: "# 次运行"})).toBe("1 次运行")
  expect(counting("es")(1_000_000, {one: "# vez", other: "# veces"})).toBe("1.000.000 veces")
})

test("the browser's first language that the console has is used, else English", () => {
  expect([["de-AT", "en"], ["fr", "es-MX"], ["zh-Hant-TW"], ["fr"], []].map(firstSpoken)).toEqual([
    "de",
    "es",
    "zh",
    "en",
    "en",
  ])
})
