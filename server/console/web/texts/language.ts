import {SvelteMap} from "svelte/reactivity"
import type {Lacking} from "./catalogue.ts"
import type {Texts} from "./en.ts"

/** Each language by its own name. */
export const languages = {en: "English", de: "Deutsch", zh: "中文", es: "Español"} as const
export type Language = keyof typeof languages

const key = "svc.language"

/** Each table is a separate file, loaded when the language is chosen. */
const tables: Readonly<Record<Exclude<Language, "en">, () => Promise<Lacking<Texts>>>> = {
  de: () => import("./de.ts").then(module => module.de),
  zh: () => import("./zh.ts").then(module => module.zh),
  es: () => import("./es.ts").then(module => module.es),
}

interface Spoken {
  readonly language: Language
  /** The texts that the language has; missing ones fall back to English. */
  readonly table: Lacking<Texts> | undefined
}

/** The current language. Everything in the page that reads it renders again when it changes. */
const spoken = new SvelteMap<"now", Spoken>([["now", {language: "en", table: undefined}]])

export const language = (): Language => spoken.get("now")?.language ?? "en"
export const table = (): Lacking<Texts> | undefined => spoken.get("now")?.table

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name)

/** Returns the first of the browser's languages that the console speaks, by its first part: `de` for `de-AT`. */
export const firstSpoken = (wanted: readonly string[]): Language =>
  wanted.map(tag => tag.toLowerCase().split("-")[0] ?? "").find(isLanguage) ?? "en"

/** Returns the language chosen in this browser, otherwise the one that the browser asks for. */
export const chosenLanguage = (): Language => {
  const chosen = localStorage.getItem(key)
  return chosen !== null && isLanguage(chosen) ? chosen : firstSpoken(navigator.languages)
}

/** Switches to a language. Rejects if its texts cannot be loaded; the page then keeps its language. */
export const speak = async (next: Language): Promise<void> => {
  const loaded = next === "en" ? undefined : await tables[next]()
  spoken.set("now", {language: next, table: loaded})
  document.documentElement.lang = next
}

/** Switches to a language and keeps the choice in this browser. */
export const chooseLanguage = async (next: Language): Promise<void> => {
  await speak(next)
  localStorage.setItem(key, next)
}
