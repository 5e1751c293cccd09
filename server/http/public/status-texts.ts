import type {LabelState, StatusPage} from "../../../shared/api/metrics/status-page.ts"
import {closestLanguage, languageTag} from "../../../shared/language.ts"
import tables from "./status-texts.json" with {type: "json"}

interface Texts {
  readonly overall: Readonly<Record<StatusPage["state"], string>>
  readonly states: Readonly<Record<LabelState, string>>
  readonly uptime: string
  readonly spans: Readonly<Record<keyof StatusPage["labels"][number]["uptime"], string>>
  readonly unknown: string
  /** Explains the figures to the reader. */
  readonly counted: string
  readonly asOf: string
  readonly asJson: string
}

/** The texts of the status page by language. The operator's own texts are not translated. */
export const texts = tables satisfies Readonly<Record<string, Texts>>

export type Language = keyof typeof texts

const languages = Object.keys(texts) as Language[]

/** The longest `Accept-Language` header that is read completely; browsers name only a few languages. */
const longest = 500

/** The page's language for an `Accept-Language` header (RFC 9110, 12.5.4); English if the header names none of them. */
export const languageFor = (accepted: string | null): Language => {
  const wanted = (accepted ?? "")
    .slice(0, longest)
    .split(",")
    .map(part => {
      const [tag = "", ...parameters] = part.split(";").map(each => each.trim())
      const quality = parameters.find(each => each.startsWith("q="))?.slice(2)
      return {tag: languageTag(tag), quality: quality === undefined ? 1 : Number(quality)}
    })
    .filter(({quality}) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
  for (const {tag} of wanted) {
    const closest = tag === undefined ? undefined : closestLanguage(languages, tag)
    if (closest !== undefined) return closest as Language
  }
  return "en"
}
