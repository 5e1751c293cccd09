/** The forms of a counted text by the plural rules of the language; `#` is the number. */
export type Forms = {readonly other: string} & {readonly [Rule in Intl.LDMLPluralRule]?: string}

/** Returns a counter for a language: `{one: "# run", other: "# runs"}` with 1,200 returns `1,200 runs`. */
export const counting = (locale: string): ((count: number, forms: Forms) => string) => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace("#", numbers.format(count))
}

/** Returns `1 run` or `2 runs`. */
export const counted = counting("en-GB")
