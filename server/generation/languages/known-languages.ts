import {languageTag} from "../../../shared/language.ts"
import type {LoadedConfig} from "../../config/load.ts"
import type {Instance} from "../instances/instance.ts"

/** Returns valid tags, canonical and without duplicates. `crossCheck` of the configuration reports invalid ones. */
const canonical = (tags: readonly string[]): readonly string[] => [
  ...new Set(tags.flatMap(tag => languageTag(tag) ?? [])),
]

/** Returns the languages of the bot, the default first. */
export const knownLanguages = (
  {config: {languages}}: LoadedConfig,
  instances: readonly Pick<Instance, "registrations">[],
): readonly [string, ...string[]] => {
  const {default: fallback, offer, rules, texts} = languages
  const spoken = offer ?? [
    ...instances.flatMap(({registrations}) => registrations.texts.flatMap(declared => declared.languages)),
    ...Object.keys(texts),
  ]
  const [first = "en", ...others] = canonical([fallback, ...rules.map(({language}) => language), ...spoken])
  return [first, ...others]
}
