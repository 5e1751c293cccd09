import {texts} from "../texts.ts"

const isKnown = (state: string): state is keyof typeof texts.words => Object.hasOwn(texts.words, state)

/** A state of the API as people say it. */
export const wordOf = (state: string): string => (isKnown(state) ? texts.words[state] : state)
