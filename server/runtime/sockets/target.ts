import {Problem} from "../../../shared/problems.ts"

/** Where a request goes, as its head says it. */
export interface Target {
  /** The request target, or the whole URL where the runtime has made one. */
  readonly url: string
  /** The value of the Host header; several are joined by a comma. Undefined where there is none. */
  readonly host: string | undefined
  /** HTTP/1.1 needs a Host, HTTP/1.0 does not. */
  readonly needsHost: boolean
}

/** A name, an IPv4 address or an IPv6 address in brackets, and a port: RFC 3986, 3.2.2 without percent-encoding. */
const authority = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=-]+)(?::\d{0,5})?$/i

/** A control character, percent-encoded. The runtimes refuse most of those that are sent as they are. */
const encodedControl = /%(?:[01][0-9a-f]|7f)/i

/** The path of a URL, up to its query; a space in it is as wrong as a control character. By codes: each request is read so. */
const hasControl = (url: string): boolean => {
  for (let at = 0; at < url.length; at++) {
    const code = url.charCodeAt(at)
    if (code === 0x3f) return false
    if (code <= 0x20 || code === 0x7f) return true
  }
  return false
}

/**
 * Says what is wrong with a request's Host or path, before anything is routed by them; undefined where nothing is:
 * `host_invalid`, `path_invalid`. A listener has one: it remembers the Host and the URL's origin that it saw last.
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
    return isFlawed ? new Problem("path_invalid", "the path has a control character") : undefined
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query < 0 ? url : url.slice(0, query)
}

const isAuthority = (text: string): boolean => authority.test(text) && URL.canParse(`http://${text}`)
