import {lookup as lookUp} from "node:dns/promises"
import {isIP} from "node:net"
import {Problem} from "../../../shared/problems.ts"
import {isPublicAddress} from "./public-address.ts"

export interface Address {
  readonly address: string
  readonly family: number
}

export type Lookup = (name: string) => Promise<readonly Address[]>

const system: Lookup = name => lookUp(name, {all: true})

/** The host of a URL as a lookup or a socket takes it: an IPv6 address without its brackets. */
export const hostOf = ({hostname}: URL): string => hostname.replace(/^\[|\]$/g, "")

const ports: Readonly<Record<string, string>> = {"http:": "80", "https:": "443"}

const isAllowed = (url: URL, allowPrivate: readonly string[]): boolean => {
  const port = url.port === "" ? (ports[url.protocol] ?? "") : url.port
  const names = [url.hostname, hostOf(url), `${url.hostname}:${port}`]
  return allowPrivate.some(entry => names.includes(entry.toLowerCase()))
}

/**
 * The addresses to connect to, looked up once: only those of the Internet, unless the host is in `allowPrivate`, as a name or an
 * address, with its port or without. Throws `file_refused`, and `file_unavailable` where there is no such host.
 */
export const resolve = async (
  url: URL,
  {allowPrivate, lookup = system}: {readonly allowPrivate: readonly string[]; readonly lookup?: Lookup | undefined},
): Promise<readonly Address[]> => {
  const name = hostOf(url)
  const family = isIP(name)
  const found =
    family > 0
      ? [{address: name, family}]
      : await lookup(name).catch(cause => {
          throw new Problem("file_unavailable", `there is no host ${name}`, {cause})
        })
  if (isAllowed(url, allowPrivate)) return found
  const open = found.filter(({address}) => isPublicAddress(address))
  if (open.length > 0) return open
  throw new Problem("file_refused", `${url.host} is in a private network, or is this machine: users could look into it`)
}
