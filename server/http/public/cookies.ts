import {isLoopback} from "../../runtime/proxy.ts"

/** The most that a page may set in one response, and the most of one cookie in bytes (RFC 6265, 6.1). */
const most = {cookies: 10, bytes: 4096} as const

/** A cookie's name, without the dot that ends its plugin's prefix, and its value (RFC 6265, 4.1.1). */
const pairPattern = /^([A-Za-z0-9_-]{1,64})=([\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*)$/

const prefixOf = (plugin: string): string => `svc.${plugin}.`

/** Returns the plugin's own cookies of a request, under the names that it gave them; undefined without any. */
export const ownCookies = (header: string | null, plugin: string): string | undefined => {
  const prefix = prefixOf(plugin)
  const own = (header ?? "").split(";").flatMap(pair => {
    const trimmed = pair.trim()
    return trimmed.startsWith(prefix) ? [trimmed.slice(prefix.length)] : []
  })
  return own.length === 0 ? undefined : own.join("; ")
}

/**
 * Returns the cookies that a page sets as the browser gets them: under the plugin's prefix, for the plugin's pages
 * below `folder`, hidden from scripts, and not sent with another site's forms. Of a page's own attributes, only
 * `Max-Age` and `Expires` stay. Throws for an invalid cookie, without its value.
 */
export const settingCookies = (given: Headers, plugin: string, {url, folder}: {url: URL; folder: string}) => {
  const cookies = given.getSetCookie()
  if (cookies.length > most.cookies) throw new TypeError(`the page sets more than ${most.cookies} cookies`)
  const fixed = [`Path=${folder}`, "HttpOnly", "SameSite=Lax", ...(isLoopback(url) ? [] : ["Secure"])]
  return cookies.map(cookie => {
    const [pair = "", ...attributes] = cookie.split(";").map(part => part.trim())
    const set = [`${prefixOf(plugin)}${pair}`, ...attributes.filter(isLifetime), ...fixed].join("; ")
    if (pairPattern.test(pair) && set.length <= most.bytes) return set
    throw new TypeError(
      `the page sets an invalid cookie: it needs a name of letters, digits, _ and -, a value as RFC 6265 allows, and less than ${most.bytes} bytes`,
    )
  })
}

const isLifetime = (attribute: string): boolean =>
  /^(max-age=-?\d{1,10}|expires=[A-Za-z0-9 ,:-]{1,40})$/i.test(attribute)
