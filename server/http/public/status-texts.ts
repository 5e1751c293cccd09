import {closestLanguage, languageTag} from "../../../shared/language.ts"
import texts from "./status-texts.json" with {type: "json"}

/** The texts of the status page by language. The operator's own texts are not translated. */
export {texts}

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
