/** Replaces a hidden value. */
export const masked = "[secret]"

const names =
  /^(proxy-?)?authorization$|^(set-?)?cookie$|(^|[-_.])(password|passwd|secret|token)$|(^|[a-z])(Password|Secret|Token)$|(^|[-_.a-z])api-?_?key$/i

const texts =
  /(\bBearer\s+)[\w.~+/=-]{16,}|(authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]+|(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/gi

const shortest = {name: 5, text: 8}
const longestName = 63

/** Does this field name mean that the value is a credential? */
export const isCredentialName = (name: string): boolean =>
  name.length >= shortest.name && name.length <= longestName && names.test(name)

/** Returns a text without the credentials of headers and addresses that the text before them identifies. */
export const hideCredentials = (text: string): string => {
  if (text.length < shortest.text || isQuick(text)) return text
  return text.replace(texts, (_, ...groups) => `${groups.slice(0, 3).find(Boolean) ?? ""}${masked}`)
}

/** True if the text cannot contain a credential. Saves the regular expression for most texts. */
const isQuick = (text: string): boolean =>
  !text.includes("://") && !text.includes("earer") && !text.includes("uthorization") && !text.includes("EARER")
