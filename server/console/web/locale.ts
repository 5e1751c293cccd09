import {type Language, language} from "./language.ts"

const locales: Readonly<Record<Language, string>> = {en: "en-GB", de: "de", zh: "zh-CN", es: "es"}

/** A formatter in the language that is spoken when it is taken; each is made once. */
export const perLanguage = <T>(make: (locale: string) => T): (() => T) => {
  const made = new Map<Language, T>()
  return () => {
    const spoken = language()
    const formatter = made.get(spoken) ?? make(locales[spoken])
    made.set(spoken, formatter)
    return formatter
  }
}

/** Dates and times in the language that is spoken. */
export const dates = (options: Intl.DateTimeFormatOptions): ((at: number | Date) => string) => {
  const formatter = perLanguage(locale => new Intl.DateTimeFormat(locale, options))
  return at => formatter().format(at)
}

/** Numbers in the language that is spoken. */
export const numbers = (options: Intl.NumberFormatOptions = {}): ((value: number) => string) => {
  const formatter = perLanguage(locale => new Intl.NumberFormat(locale, options))
  return value => formatter().format(value)
}
