import {IntlMessageFormat} from "intl-messageformat"
import {describe, expect, test} from "vitest"
import {shortenNames} from "../../../scripts/build/short-names.ts"
import {unreadTexts} from "../../../scripts/words/unread-texts.ts"
import {isGroup, readCatalogue, type Words} from "../../../server/console/web/texts/catalogue.ts"
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
    return isGroup(text) ? textsOf(text, place) : [[place, text]]
  })

/** Returns what a text must have in common with the English one. */
const shapeOf = (text: string | readonly string[]) =>
  typeof text === "string" ? String(text.match(/\{\w+\}/g)?.toSorted()) : text.length

const english = new Map(textsOf(en))

describe.each(Object.entries({de, zh, es}))("the texts in %s", (_, pages) => {
  const others = new Map(textsOf(pages))

  test("are complete, without extra ones", () => {
    expect([...english.keys()].filter(place => !others.has(place))).toEqual([])
    expect([...others.keys()].filter(place => !english.has(place))).toEqual([])
  })

  test("name the values of the English ones where a key names none", () => {
    const plain = [...others].filter(([place]) => !place.endsWith(")"))
    expect(plain.filter(([place, text]) => shapeOf(text) !== shapeOf(english.get(place) ?? text))).toEqual([])
  })

  test("are never empty", () => {
    expect([...others].filter(([, text]) => text.length === 0)).toEqual([])
  })
})

type Node = ReturnType<IntlMessageFormat["getAst"]>[number]
type Choice = Extract<Node, {readonly options: object}>

/** Returns the plurals and choices of a message, also those within others. */
const choicesIn = (nodes: readonly Node[]): readonly Choice[] =>
  nodes.flatMap(node =>
    "options" in node ? [node, ...Object.values(node.options).flatMap(({value}) => choicesIn(value))] : [],
  )

const samples = [0, 1, 2, 5, 1234, 1_000_000]

describe.each(Object.entries({"en-GB": en, de, es, "zh-CN": zh}))("the messages in %s", (locale, pages) => {
  const messages = textsOf(pages).flatMap(([place, text]) => {
    const names = /\((.+)\)$/.exec(place)?.[1]?.split(", ")
    if (names === undefined) return []
    const library = new IntlMessageFormat(String(text), locale, undefined, {ignoreTag: true})
    return [{place, message: String(text), names, library, choices: choicesIn(library.getAst())}]
  })

  test("use every value that their keys name", () => {
    const isUsed = (message: string, name: string) => RegExp(`\\{${name.replace("#", "")}[,}]`).test(message)
    expect(messages.filter(({message, names}) => !names.every(name => isUsed(message, name)))).toEqual([])
  })

  test("count numbers, in each form of their language and no other", () => {
    const rules = new Intl.PluralRules(locale)
    const formsOf = (names: readonly string[]) => String([...new Set(["other", ...names])].toSorted())
    const forms = formsOf(Array.from({length: 101}, (_, count) => rules.select(count)))
    const wrong = messages.filter(({names, choices}) =>
      choices.some(({value, options, ...choice}) => {
        const own = Object.keys(options).filter(form => !form.startsWith("="))
        return "pluralType" in choice && (formsOf(own) !== forms || !names.includes(`#${value}`))
      }),
    )
    expect(wrong).toEqual([])
  })

  test("read as ICU MessageFormat does, also with the short names of the build", () => {
    const fill = filling(locale)
    for (const {place, message, names, library, choices} of messages) {
      const shortened: object = JSON.parse(shortenNames(`{"text(${names.join(", ")})": ${JSON.stringify(message)}}`))
      const [[key = "", short] = []] = Object.entries(shortened) as [string, string][]
      const forms = choices.flatMap(({options}) => Object.keys(options))
      for (const [index, word] of [...forms, "none", "a {b} # $&", ...samples].entries()) {
        const values = names.map(name => (name.startsWith("#") ? samples[index % samples.length] : String(word)))
        const named = (each: readonly string[]) =>
          Object.fromEntries(each.map((name, at) => [name.replace("#", ""), values[at] ?? ""]))
        const said = library.format(named(names))
        expect(fill(message, named(names)), place).toBe(said)
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

test("the console reads every text", () => {
  expect(unreadTexts(readCatalogue(en, "en-GB"))).toEqual([])
})

test("the browser's first language that the console has is used, else English", () => {
  const wanted = [["de-AT", "en"], ["fr", "es-MX"], ["zh-Hant-TW"], ["fr"], []]
  expect(wanted.map(firstSpoken).join(" ")).toBe("de es zh en en")
})
