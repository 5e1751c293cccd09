/** What stands in the place of a hidden value. */
export const masked = "[secret]"

const names =
  /^(proxy-?)?authorization$|^(set-?)?cookie$|(^|[-_.])(password|passwd|secret|token)$|(^|[a-z])(Password|Secret|Token)$|(^|[-_.a-z])api-?_?key$/i

const texts =
  /(\bBearer\s+)[\w.~+/=-]{16,}|(authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]+|(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/gi

const shortest = {name: 5, text: 8}
const longestName = 63

/** Is the value of a field with this name a credential, whatever it is? */
export const isCredentialName = (name: string): boolean =>
  name.length >= shortest.name && name.length <= longestName && names.test(name)

/** A text without the credentials of headers and addresses that can be told by what stands before them. */
export const hideCredentials = (text: string): string => {
  if (text.length < shortest.text || isQuick(text)) return text
  return text.replace(texts, (_, ...groups) => `${groups.slice(0, 3).find(Boolean) ?? ""}${masked}`)
}

/** Nothing in it can begin one: most texts cost no regular expression. */
const isQuick = (text: string): boolean =>
  !text.includes("://") && !text.includes("earer") && !text.includes("uthorization") && !text.includes("EARER")
