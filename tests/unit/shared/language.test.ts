import {describe, expect, test} from "vitest"
import {closestLanguage, fallbacksOf, languageHint, languageTag, nameOfLanguage} from "../../../shared/language.ts"

describe("a language tag", () => {
  test.each([
    ["en", "en"],
    ["DE-at", "de-AT"],
    ["zh-hans-cn", "zh-Hans-CN"],
    ["english", undefined],
    ["de_AT", undefined],
    ["e", undefined],
    ["de-", undefined],
    ["", undefined],
    [7, undefined],
  ])("%s is %s", (text, tag) => expect(languageTag(text)).toBe(tag))

  test("of a platform may have an underscore", () => {
    expect(languageHint("pt_BR")).toBe("pt-BR")
    expect(languageHint(null)).toBeUndefined()
  })

  test("falls back part by part, and never ends in a single letter", () => {
    expect(fallbacksOf("zh-Hant-TW")).toEqual(["zh-Hant-TW", "zh-Hant", "zh"])
    expect(fallbacksOf("de-u-co-phonebk")).toEqual(["de-u-co-phonebk", "de-u-co", "de"])
  })

  test("has a name in its own language", () => {
    expect([nameOfLanguage("de"), nameOfLanguage("de", "en")]).toEqual(["Deutsch", "German"])
  })
})

test.each([
  ["de", "de"],
  ["de-AT", "de"],
  ["zh", "zh-Hans"],
  ["zh-CN", "zh-Hans"],
  ["zh-TW", undefined],
  ["pt", "pt-BR"],
  ["pt-PT", "pt-BR"],
  ["fr", undefined],
])("closest to %s is %s", (wanted, found) => {
  expect(closestLanguage(["en", "de", "zh-Hans", "pt-BR"], wanted)).toBe(found)
})
