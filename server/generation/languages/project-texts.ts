import {languageTag} from "../../../shared/language.ts"
import {type Issue, messageOf} from "../../../shared/problems.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {HostTexts, isHostText} from "../../messages/texts/host-texts.ts"
import {builtInTables} from "../../messages/texts/tables.ts"
import {type Message, parseMessage, plainMessage} from "../../runtime/text/message.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

/** Reads the project's replacements for svc's chat texts, and reports each invalid one with its position. */
export const readHostTexts = async ({source, config: {languages}}: LoadedConfig) => {
  const issues: Issue[] = []
  const own = new Map<string, Map<string, Message>>()
  for (const [language, texts] of Object.entries(languages.texts)) {
    const tag = languageTag(language) ?? language
    const messages = own.get(tag) ?? new Map<string, Message>()
    own.set(tag, messages)
    for (const [key, text] of Object.entries(texts)) {
      const at = ["languages", "texts", language, key]
      const read = await readText(tag, key, text)
      if (read.is === "message") messages.set(key, read.message)
      else issues.push(source.issue(at, read.why, read.is === "key" ? "key" : "value"))
    }
  }
  return {texts: new HostTexts(own, languageTag(languages.default)), issues}
}

type Read = {readonly is: "message"; readonly message: Message} | {readonly is: "key" | "value"; readonly why: string}

const readText = async (language: string, key: string, text: string): Promise<Read> => {
  if (!isHostText(key))
    return {
      is: "key",
      why: `svc has no text with this key${didYouMean(key, Object.keys(builtInTables.en)) || "; docs/plugins/languages.md lists them"}`,
    }
  try {
    const message = await parseMessage(text, language)
    const given = plainMessage(builtInTables.en[key])?.names ?? new Set<string>()
    const strange = [...message.names].find(name => !given.has(name))
    if (strange === undefined) return {is: "message", message}
    return {is: "value", why: `{${strange}} is not a value of this text; ${valuesOf(given)}`}
  } catch (error) {
    return {is: "value", why: `is not a valid message: ${messageOf(error)}`}
  }
}

const valuesOf = (names: ReadonlySet<string>): string =>
  names.size === 0 ? "it has none" : `it has ${[...names].map(name => `{${name}}`).join(", ")}`
