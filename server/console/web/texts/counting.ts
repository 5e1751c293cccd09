/** What is said of one, two, many, by the language's own rules; `#` stands for the number. */
export type Forms = {readonly other: string} & {readonly [Rule in Intl.LDMLPluralRule]?: string}

/** Counts by the rules of a language: `{one: "# run", other: "# runs"}` of 1,200 is `1,200 runs`. */
export const counting = (locale: string): ((count: number, forms: Forms) => string) => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace("#", numbers.format(count))
}
