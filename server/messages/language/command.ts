import {closestLanguage, languageTag, nameOfLanguage} from "../../../shared/language.ts"
import {inAscii, keyOf} from "../../../shared/sdk/text/typed.ts"
import {parsePattern} from "../arguments/pattern.ts"
import type {Command} from "../command/command.ts"
import type {Router} from "../command/router.ts"
import type {HostTexts} from "../texts/host-texts.ts"
import {languageState} from "./choices.ts"
import type {Languages} from "./languages.ts"

/** The word that deletes a choice. */
const auto = "auto"

export const languageCommandId = "host/language"

/** The Host's own command: `language` shows the languages, `language <tag>` chooses one. A plugin's replaces it. */
export const languageCommand = (router: () => Router, languages: Languages, texts: HostTexts): Command => ({
  id: languageCommandId,
  owner: "host",
  ...parsePattern("language [tag]"),
  aliases: [],
  definition: {description: texts.of("language.description")},
  handle: async ({args, session}) => {
    const {event, endpoint, text, language: current} = session
    const say = texts.in(current)
    const values = {call: `${router().manner(text, event)}language`, languages: languages.known.map(labelOf).join(", ")}
    if (args.tag === undefined) return say("language.current", {...values, language: labelOf(current)})
    const word = String(args.tag)
    const choice = session.state(languageState)
    if (keyOf(word) === auto) {
      await choice.delete()
      const language = languages.of(endpoint, event)
      return texts.in(language)("language.auto", {language: labelOf(language)})
    }
    const chosen = languageCalled(languages.known, word, current)
    if (chosen === undefined) return say("language.unknown", {...values, word})
    await choice.set({language: chosen})
    return texts.in(chosen)("language.set", {language: labelOf(chosen)})
  },
})

/** `Deutsch (de)` */
const labelOf = (tag: string): string => `${nameOfLanguage(tag)} (${tag})`

/** Finds a language by its tag, or by its name in that language, in English, or in the user's language. */
const languageCalled = (known: readonly string[], word: string, current: string): string | undefined => {
  const tag = languageTag(inAscii(word))
  const byTag = tag === undefined ? undefined : closestLanguage(known, tag)
  const name = keyOf(word)
  return (
    byTag ??
    known.find(each => [each, "en", current].some(inLanguage => keyOf(nameOfLanguage(each, inLanguage)) === name))
  )
}
