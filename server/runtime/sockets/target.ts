import {Problem} from "../../../shared/problems.ts"

/** Where a request goes, according to its head. */
export interface Target {
  /** The request target, or the whole URL if the runtime has built one. */
  readonly url: string
  /** The value of the Host header; several values are joined by commas. Undefined without the header. */
  readonly host: string | undefined
  /** True for HTTP/1.1, which requires a Host header; false for HTTP/1.0. */
  readonly needsHost: boolean
}

/** A name, an IPv4 or a bracketed IPv6 address, with an optional port: RFC 3986, 3.2.2 without percent-encoding. */
const authority = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=-]+)(?::\d{0,5})?$/i

/** A percent-encoded control character. The runtimes refuse most unencoded ones. */
const encodedControl = /%(?:[01][0-9a-f]|7f)/i

/** Does the path of a URL contain a space or a control character? Compares codes, since every request is checked. */
const hasControl = (url: string): boolean => {
  for (let at = 0; at < url.length; at++) {
    const code = url.charCodeAt(at)
    if (code === 0x3f) return false
    if (code <= 0x20 || code === 0x7f) return true
  }
  return false
}

/**
 * Returns a check of a request's Host and path that runs before routing: `host_invalid`, `path_invalid`, or undefined
 * for a valid request. Each listener has one check, which remembers the last Host and URL origin.
 */
export const createTargetCheck = (): ((target: Target) => Problem | undefined) => {
  let sound: string | undefined
  let soundOrigin = "/"
  const isSound = (host: string): boolean => {
    if (host === sound) return true
    if (!isAuthority(host)) return false
    sound = host
    return true
  }
  return ({url, host, needsHost}) => {
    if (host === undefined) {
      if (needsHost) return new Problem("host_invalid", "the request has no Host header")
    } else if (!isSound(host)) return new Problem("host_invalid", "the Host header is not one host name or address")
    if (!url.startsWith("/") && !url.startsWith(soundOrigin)) {
      const [, named] = url.match(/^https?:\/\/([^/?#]*)/i) ?? []
      if (named === undefined)
        return new Problem("path_invalid", "the request names neither a path nor a URL of this Host")
      if (!isAuthority(named)) return new Problem("host_invalid", "the URL does not name one host name or address")
      soundOrigin = `http://${named}/`
    }
    const isFlawed = hasControl(url) || (url.includes("%") && encodedControl.test(pathOf(url)))
    return isFlawed ? new Problem("path_invalid", "the path contains a control character") : undefined
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query < 0 ? url : url.slice(0, query)
}

const isAuthority = (text: string): boolean => authority.test(text) && URL.canParse(`http://${text}`)
