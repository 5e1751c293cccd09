/**
 * A language tag (BCP 47) in its canonical form, `de-AT` for `DE-at`; undefined for what is none. A registered language has two or
 * three letters: `english` and `de_AT` are none.
 */
export const languageTag = (text: unknown): string | undefined => {
  if (typeof text !== "string" || !/^[a-z]{2,3}(-|$)/i.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** What a platform says of a user's language, where a tag can be made of it: some write `de_AT`. */
export const languageHint = (text: unknown): string | undefined =>
  typeof text === "string" ? languageTag(text.replaceAll("_", "-")) : undefined

/** What is wrong with a language tag, for whoever wrote it. */
export const noLanguage = (text: string): string =>
  `"${text}" is no language tag (BCP 47), such as en, de-AT or zh-Hans`

/** The tag and what it falls back to, the closest first: `de-AT`, `de` (RFC 4647, Lookup). */
export const fallbacksOf = (tag: string): readonly string[] => {
  const parts = tag.split("-")
  return parts
    .map((_, index) => parts.slice(0, parts.length - index).join("-"))
    .filter(each => !/-[a-z0-9]$/i.test(each))
}

/** `zh-Hans` for `zh` and `zh-CN`: the language in its script, as people of that region write it. */
const writingOf = (tag: string): string => {
  const {language, script} = new Intl.Locale(tag).maximize()
  return `${language}-${script ?? ""}`
}

/**
 * Which of the known languages is the closest to the one that is wanted: itself, what it falls back to, or one that is written the
 * same (`zh-Hans` for `zh-CN`). Undefined where none is. Both are canonical tags.
 */
export const closestLanguage = (known: readonly string[], wanted: string): string | undefined => {
  const exact = fallbacksOf(wanted).find(tag => known.includes(tag))
  if (exact !== undefined) return exact
  const writing = writingOf(wanted)
  return known.find(tag => writingOf(tag) === writing)
}

/** A language's name in itself: `Deutsch`. The tag where the runtime knows none. */
export const nameOfLanguage = (tag: string, inLanguage = tag): string => {
  try {
    return new Intl.DisplayNames([inLanguage], {type: "language"}).of(tag) ?? tag
  } catch {
    return tag
  }
}
