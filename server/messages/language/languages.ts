import type {LanguageRule} from "../../../shared/config.ts"
import {closestLanguage, languageHint} from "../../../shared/language.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/satori.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import {foldOf, groupOf, type IdRules} from "../permissions.ts"

/** The languages of a bot, and which of them an event has. */
export interface Languages {
  /** Canonical tags, the default first. */
  readonly known: readonly string[]
  /** What the user has chosen comes first, then the channel's rule, what the platform says of the user, the default. */
  of(endpoint: string, event: Pick<SatoriEvent, "channel" | "user">, chosen?: string): string
}

/** The languages of a bot without any choice. */
export const oneLanguage = (language: string): Languages => ({known: [language], of: () => language})

/** Hints of platforms that are remembered with what they mean here. */
const mostHints = 1000

export interface LanguageSettings {
  /** Canonical tags, the default first. */
  readonly known: readonly [string, ...string[]]
  readonly rules: readonly LanguageRule[]
}

/** Reads the rules: the first one that fits counts. A `channel` is one with others, as in the rules of `permissions`. */
export const readLanguages = ({known, rules}: LanguageSettings, endpoints: ReadonlyMap<string, IdRules>): Languages => {
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

/** Of what adapters and stored choices say, which may be anything. */
const closestTag = (known: readonly string[], wanted: string): string | undefined => {
  const tag = languageHint(wanted)
  return tag === undefined ? undefined : closestLanguage(known, tag)
}

/** A conversation of which only the ids are known: a channel that is named is one with others. */
export const placeOf = (
  channel: string | undefined,
  user: string | undefined,
): Pick<SatoriEvent, "channel" | "user"> => ({
  ...(channel === undefined ? {} : {channel: {id: channel, type: channelType.text}}),
  ...(user === undefined ? {} : {user: {id: user}}),
})
