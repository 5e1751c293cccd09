type Values = Readonly<Record<string, string | number>>

/** The inside of braces that holds up to `depth` further braces within each other. */
const inside = (depth: number): string => (depth === 0 ? "[^{}]*" : `(?:[^{}]|\\{${inside(depth - 1)}\\})*`)
const argument = new RegExp(`\\{(\\w+)(?:, (plural|select), (${inside(4)}))?\\}|#`, "g")
const form = new RegExp(`(\\S+) \\{(${inside(3)})\\}`, "g")

/**
 * Returns a function that fills messages in a language. They are ICU MessageFormat without quoting: text, `{name}`, and
 * plurals and choices such as `{count, plural, =0 {none} one {# run} other {# runs}}`.
 */
export const filling = (locale: string): ((message: string, values: Values) => string) => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const fill = (message: string, values: Values, count: string): string =>
    message.replace(argument, (found, name: string, kind?: string, choices = "") => {
      if (found === "#") return count
      const value = values[name] ?? ""
      if (kind === undefined) return String(value)
      const forms = new Map(Array.from(choices.matchAll(form), ([, key, said]: string[]) => [key, said] as const))
      const isCount = kind === "plural"
      const chosen = forms.get(`=${value}`) ?? forms.get(isCount ? rules.select(Number(value)) : String(value))
      return fill(chosen ?? forms.get("other") ?? "", values, isCount ? numbers.format(Number(value)) : count)
    })
  return (message, values) => fill(message, values, "#")
}
