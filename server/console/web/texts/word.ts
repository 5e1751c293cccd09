import {texts} from "./texts.ts"

const isKnown = (state: string): state is keyof typeof texts.words => Object.hasOwn(texts.words, state)

/** Returns a state of the API in the current language. */
export const wordOf = (state: string): string => (isKnown(state) ? texts.words[state] : state)
