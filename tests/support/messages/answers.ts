import {HostTexts} from "../../../server/messages/texts/host-texts.ts"

const texts = new HostTexts()

/** svc's chat texts by their keys, in English: a test names the answer, and the product's table has its words. */
export const answer = texts.in("en")

export const answerIn = (language: string): typeof answer => texts.in(language)

/** The answer to words that call no command. It suggests a similar command, or the command that lists all. */
export const unknownCommand = (words: string, meant?: string): string =>
  answer("help.unknown", {
    words,
    hint: meant === undefined ? answer("help.all", {call: "/help"}) : answer("help.meant", {call: meant}),
  })
