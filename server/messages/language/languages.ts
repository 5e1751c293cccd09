import type {LanguageRule} from "../../../shared/config/config.ts"
import {closestLanguage, languageHint} from "../../../shared/language.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import {foldOf, groupOf, type IdRules} from "../command/permissions.ts"

export interface Languages {
  /** Canonical tags, the default first. */
  readonly known: readonly string[]
  /** Returns an event's language: the user's choice, the channel's rule, the user's by the platform, the default. */
  of(endpoint: string, event: Pick<SatoriEvent, "channel" | "user">, chosen?: string): string
}

export const oneLanguage = (language: string): Languages => ({known: [language], of: () => language})

/** The most remembered language hints of platforms, with the language that each matches. */
const mostHints = 1000

/** The first matching rule counts. A `channel` matches only shared channels. `known` is canonical, default first. */
export const readLanguages = (
  {known, rules}: {readonly known: readonly [string, ...string[]]; readonly rules: readonly LanguageRule[]},
  endpoints: ReadonlyMap<string, IdRules>,
): Languages => {
  const [fallback] = known
  if (known.length === 1) return oneLanguage(fallback)
  const closest = new BoundedMap<string, string | undefined>(mostHints)
  const closestTo = (wanted: string): string | undefined => {
    if (!closest.has(wanted)) closest.set(wanted, closestTag(known, wanted))
    return closest.get(wanted)
  }
  const ruled = (endpoint: string, event: Pick<SatoriEvent, "channel">): string | undefined => {
    const fold = foldOf(endpoints.get(endpoint))
    const channel = groupOf(event)
    const rule = rules.find(
      ({endpoint: of, channel: id}) =>
        (of === "*" || of === endpoint) && (id === undefined || (channel !== undefined && fold(id) === fold(channel))),
    )
    return rule && closestTo(rule.language)
  }
  return {
    known,
    of: (endpoint, event, chosen) =>
      (chosen === undefined ? undefined : closestTo(chosen)) ??
      ruled(endpoint, event) ??
      (event.user?.locale === undefined ? undefined : closestTo(event.user.locale)) ??
      fallback,
  }
}

/** Returns the closest language for a hint of an adapter or a stored choice, which may be any text. */
const closestTag = (known: readonly string[], wanted: string): string | undefined => {
  const tag = languageHint(wanted)
  return tag === undefined ? undefined : closestLanguage(known, tag)
}

/** Returns a conversation from its ids. A named channel counts as a shared one. */
export const placeOf = (
  channel: string | undefined,
  user: string | undefined,
): Pick<SatoriEvent, "channel" | "user"> => ({
  ...(channel === undefined ? {} : {channel: {id: channel, type: channelType.text}}),
  ...(user === undefined ? {} : {user: {id: user}}),
})
