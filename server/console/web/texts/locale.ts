import {type Language, language} from "./language.ts"

const locales: Readonly<Record<Language, string>> = {en: "en-GB", de: "de", zh: "zh-CN", es: "es"}

/** Returns a formatter for the current language; makes each formatter once. */
export const perLanguage = <T>(make: (locale: string) => T): (() => T) => {
  const made = new Map<Language, T>()
  return () => {
    const spoken = language()
    const formatter = made.get(spoken) ?? make(locales[spoken])
    made.set(spoken, formatter)
    return formatter
  }
}

/** Returns a formatter of dates and times for the current language. */
export const dates = (options: Intl.DateTimeFormatOptions): ((at: number | Date) => string) => {
  const formatter = perLanguage(locale => new Intl.DateTimeFormat(locale, options))
  return at => formatter().format(at)
}

/** Returns a formatter of numbers for the current language. */
export const numbers = (options: Intl.NumberFormatOptions = {}): ((value: number) => string) => {
  const formatter = perLanguage(locale => new Intl.NumberFormat(locale, options))
  return value => formatter().format(value)
}
