export const masked = "[secret]"

const names =
  /^(proxy-?)?authorization$|^(set-?)?cookie$|(^|[-_.])(password|passwd|secret|token)$|(^|[a-z])(Password|Secret|Token)$|(^|[-_.a-z])api-?_?key$/i

const texts =
  /(\bBearer\s+)[\w.~+/=-]{16,}|(authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]+|(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/gi

/** What a text with a credential contains. Saves the longer expression for most texts. */
const signs = /:\/\/|bearer|authorization/i

const shortest = {name: 5, text: 8}
const longestName = 63

/** Names of fields, which records repeat, and whether each means a credential. */
const seen = new Map<string, boolean>()
const mostSeen = 1000

export const isCredentialName = (name: string): boolean => {
  if (name.length < shortest.name || name.length > longestName) return false
  const known = seen.get(name)
  if (known !== undefined) return known
  const found = names.test(name)
  if (seen.size === mostSeen) seen.clear()
  seen.set(name, found)
  return found
}

/** Returns a text without the credentials of headers and addresses that the text before them identifies. */
export const hideCredentials = (text: string): string => {
  if (text.length < shortest.text || !signs.test(text)) return text
  return text.replace(texts, (_, ...groups) => `${groups.slice(0, 3).find(Boolean) ?? ""}${masked}`)
}
