import {IntlMessageFormat} from "intl-messageformat"
import {describe, expect, test} from "vitest"
import {shortenNames} from "../../../scripts/build/short-names.ts"
import type {Words} from "../../../server/console/web/texts/catalogue.ts"
import * as de from "../../../server/console/web/texts/de/pages.ts"
import * as en from "../../../server/console/web/texts/en/pages.ts"
import * as es from "../../../server/console/web/texts/es/pages.ts"
import {firstSpoken} from "../../../server/console/web/texts/language.ts"
import {filling} from "../../../server/console/web/texts/message.ts"
import {spoken} from "../../../server/console/web/texts/spoken.ts"
import * as zh from "../../../server/console/web/texts/zh/pages.ts"

/** Returns every text of a language by its page and key, such as `jobs.deeds.run(job)`. */
const textsOf = (words: Words, path = ""): [place: string, text: string | readonly string[]][] =>
  Object.entries(words).flatMap(([key, text]): [string, string | readonly string[]][] => {
    const place = path === "" ? key : `${path}.${key}`
    return typeof text === "string" || Array.isArray(text) ? [[place, text]] : textsOf(text as Words, place)
  })

type Node = ReturnType<IntlMessageFormat["getAst"]>[number]

const read = (message: string, locale: string) => new IntlMessageFormat(message, locale, undefined, {ignoreTag: true})

/** Returns every part of a message, also those within others. */
const nodesIn = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap(node => [
    node,
    ...("options" in node ? Object.values(node.options).flatMap(({value}) => nodesIn(value)) : []),
  ])

const isLiteral = 0
const isPound = 7

const namesIn = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap(node =>
    node.type === isLiteral || node.type === isPound ? [] : [String("value" in node && node.value)],
  )

/** Returns what a text must have in common with the English one. */
const shapeOf = (text: string | readonly string[]): unknown =>
  typeof text === "string" ? (text.match(/\{\w+\}/g) ?? []).toSorted() : text.length

const isSame = (some: Iterable<string>, others: Iterable<string>): boolean =>
  [...new Set(some)].toSorted().join() === [...new Set(others)].toSorted().join()

const english = new Map(textsOf(en))

describe.each(Object.entries({de, zh, es}))("the texts in %s", (_, pages) => {
  const others = new Map(textsOf(pages))

  test("are complete, without extra ones", () => {
    expect([...english.keys()].filter(place => !others.has(place))).toEqual([])
    expect([...others.keys()].filter(place => !english.has(place))).toEqual([])
  })

  test("name the same values as the English ones where a key names none", () => {
    const wrong = [...others].filter(([place, text]) => {
      const shapes = [text, english.get(place) ?? text].map(each => JSON.stringify(shapeOf(each)))
      return !place.endsWith(")") && new Set(shapes).size > 1
    })
    expect(wrong).toEqual([])
  })

  test("are never empty", () => {
    expect([...others].filter(([, text]) => text.length === 0)).toEqual([])
  })
})

const samples = [0, 1, 2, 5, 1234, 1_000_000]

describe.each([
  ["en-GB", en],
  ["de", de],
  ["es", es],
  ["zh-CN", zh],
])("the messages in %s", (locale, pages) => {
  const messages = textsOf(pages).flatMap(([place, text]) => {
    const names = /\((.+)\)$/.exec(place)?.[1]?.split(", ")
    return names === undefined ? [] : [{place, message: String(text), names}]
  })

  test("use all values that their keys name, and no others", () => {
    const wrong = messages.filter(({message, names}) => {
      const used = namesIn(nodesIn(read(message, locale).getAst()))
      return !isSame(
        used,
        names.map(name => name.replace("#", "")),
      )
    })
    expect(wrong).toEqual([])
  })

  test("have the forms of their language for every count", () => {
    const rules = new Intl.PluralRules(locale)
    const needed = ["other", ...Array.from({length: 101}, (_, count) => rules.select(count))]
    const wrong = messages.flatMap(({place, message, names}) =>
      nodesIn(read(message, locale).getAst()).flatMap(node => {
        if (!("pluralType" in node)) return []
        const forms = Object.keys(node.options).filter(form => !form.startsWith("="))
        return isSame(forms, needed) && names.includes(`#${node.value}`) ? [] : [`${place}: ${forms.join(" ")}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  test("read as ICU MessageFormat does, also with the short names of the build", () => {
    const fill = filling(locale)
    for (const {place, message, names} of messages) {
      const library = read(message, locale)
      const shortened: object = JSON.parse(shortenNames(`{"text(${names.join(", ")})": ${JSON.stringify(message)}}`))
      const [[key = "", short] = []] = Object.entries(shortened) as [string, string][]
      const forms = nodesIn(library.getAst()).flatMap(node => ("options" in node ? Object.keys(node.options) : []))
      for (const [index, word] of [...forms, "none", "a {b} # $&", ...samples].entries()) {
        const sample = samples[index % samples.length] ?? 0
        const values = names.map(name => (name.startsWith("#") ? sample : String(word)))
        const named = (each: readonly string[]) => Object.fromEntries(each.map((name, at) => [name, values[at] ?? ""]))
        const said = library.format(named(names.map(name => name.replace("#", ""))))
        expect(fill(message, named(names.map(name => name.replace("#", "")))), place).toBe(said)
        expect(fill(String(short), named(key.slice(5, -1).split(", "))), place).toBe(said)
      }
    }
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
  const message = "{count, plural, one {# Lauf} other {# Läufe}}"
  expect([0, 1, 2, 1200].map(count => filling("de")(message, {count}))).toEqual([
    "0 Läufe",
    "1 Lauf",
    "2 Läufe",
    "1.200 Läufe",
  ])
  expect(filling("zh-CN")("{count, plural, other {# 次运行}}", {count: 1})).toBe("1 次运行")
  const times = "{count, plural, =0 {nunca} one {# vez} other {# veces}}"
  expect([0, 1_000_000].map(count => filling("es")(times, {count}))).toEqual(["nunca", "1.000.000 veces"])
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
