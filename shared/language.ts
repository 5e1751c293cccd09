import {tryOr} from "./try-or.ts"

/**
 * Returns a language tag (BCP 47) in its canonical form, `de-AT` for `DE-at`; undefined for anything else. The primary
 * language has two or three letters: `english` and `de_AT` are not tags.
 */
export const languageTag = (text: unknown): string | undefined => {
  if (typeof text !== "string" || !/^[a-z]{2,3}(-|$)/i.test(text)) return undefined
  return tryOr(() => Intl.getCanonicalLocales(text)[0], undefined)
}

/** Returns the language that a platform reports for a user as a tag, if possible. Some platforms write `de_AT`. */
export const languageHint = (text: unknown): string | undefined =>
  typeof text === "string" ? languageTag(text.replaceAll("_", "-")) : undefined

export const noLanguage = (text: string): string =>
  `"${text}" is not a language tag (BCP 47) such as en, de-AT or zh-Hans`

/** Returns the tag and its fallbacks, the closest first: `de-AT`, `de` (RFC 4647, Lookup). */
export const fallbacksOf = (tag: string): readonly string[] => {
  const parts = tag.split("-")
  return parts
    .map((_, index) => parts.slice(0, parts.length - index).join("-"))
    .filter(each => !/-[a-z0-9]$/i.test(each))
}

/** Returns the language with its usual script: `zh-Hans` for `zh` and `zh-CN`. */
const writingOf = (tag: string): string => {
  const {language, script} = new Intl.Locale(tag).maximize()
  return `${language}-${script ?? ""}`
}

/**
 * Returns the known language that is closest to the wanted one: the same, one of its fallbacks, or one with the same
 * script (`zh-Hans` for `zh-CN`). Undefined if there is none. All tags must be canonical.
 */
export const closestLanguage = (known: readonly string[], wanted: string): string | undefined => {
  const exact = fallbacksOf(wanted).find(tag => known.includes(tag))
  if (exact !== undefined) return exact
  const writing = writingOf(wanted)
  return known.find(tag => writingOf(tag) === writing)
}

/** Returns a language's own name, such as `Deutsch`, or the tag if the runtime knows no name. */
export const nameOfLanguage = (tag: string, inLanguage = tag): string =>
  tryOr(() => new Intl.DisplayNames([inLanguage], {type: "language"}).of(tag), undefined) ?? tag
