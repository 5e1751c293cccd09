import type {ProjectConfig} from "../../shared/config.ts"
import {languageTag, noLanguage} from "../../shared/language.ts"
import type {Issue} from "../../shared/problems.ts"
import {firstCovering, oneEndpoint} from "./check-rules.ts"
import type {Path, Source} from "./source.ts"

/** Checks what `languages` contains: invalid tags, duplicate languages, and rules that never apply. */
export const checkLanguages = (source: Source, {default: fallback, offer, rules, texts}: Languages): Issue[] => {
  const at = (...path: Path): Path => ["languages", ...path]
  const checkTag = (tag: string, path: Path, where: "key" | "value" = "value") =>
    languageTag(tag) === undefined ? [source.issue(path, noLanguage(tag), where)] : []
  return [
    ...checkTag(fallback, at("default")),
    ...(offer ?? []).flatMap((tag, index) => checkTag(tag, at("offer", index))),
    ...rules.flatMap(({language}, index) => checkTag(language, at("rules", index, "language"))),
    ...Object.keys(texts).flatMap(tag => checkTag(tag, at("texts", tag), "key")),
    ...twice(Object.keys(texts)).map(tag => source.issue(at("texts", tag), "the language is listed twice", "key")),
    ...firstCovering(rules.map(rule => [oneEndpoint(rule), rule.channel])).flatMap((earlier, index) => {
      if (earlier === index) return []
      return [
        source.issue(
          at("rules", index),
          `is never reached: languages.rules[${earlier}] already matches everything that this rule matches`,
        ),
      ]
    }),
  ]
}

type Languages = ProjectConfig["languages"]

const twice = (tags: readonly string[]): readonly string[] => {
  const known = new Set<string>()
  return tags.filter(tag => {
    const same = languageTag(tag)
    return same !== undefined && known.size === known.add(same).size
  })
}
