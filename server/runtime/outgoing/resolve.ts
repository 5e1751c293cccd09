import {lookup as lookUp} from "node:dns/promises"
import {isIP} from "node:net"
import ipaddr from "ipaddr.js"
import {Problem} from "../../../shared/problems.ts"

/**
 * Addresses outside the ranges below at which clouds answer their own machines: the WireServer of Azure. Other clouds
 * use link-local, private, shared or reserved addresses.
 */
const metadata: ReadonlySet<string> = new Set(["168.63.129.16"])

/** The range that IANA assigns to networks of the Internet (IPv6). */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3]

/**
 * Is this a public address of the Internet? Everything else is refused: private, loopback, link-local, unique-local,
 * shared (CGNAT), multicast, reserved and documentation ranges, and IPv6 addresses that carry an IPv4 address.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const read = ipaddr.process(address)
  if (read.range() !== "unicast" || metadata.has(read.toString())) return false
  return read.kind() === "ipv4" || (read instanceof ipaddr.IPv6 && read.match(globalUnicast))
}

export interface Address {
  readonly address: string
  readonly family: number
}

export type Lookup = (name: string) => Promise<readonly Address[]>

const system: Lookup = name => lookUp(name, {all: true})

/** Returns the host of a URL in the form for a lookup or a socket: an IPv6 address without brackets. */
export const hostOf = ({hostname}: URL): string => hostname.replace(/^\[|\]$/g, "")

const ports: Readonly<Record<string, string>> = {"http:": "80", "https:": "443"}

const isAllowed = (url: URL, allowPrivate: readonly string[]): boolean => {
  const port = url.port === "" ? (ports[url.protocol] ?? "") : url.port
  const names = [url.hostname, hostOf(url), `${url.hostname}:${port}`]
  return allowPrivate.some(entry => names.includes(entry.toLowerCase()))
}

/**
 * Looks up, once, the addresses to connect to. Returns only public ones, unless `allowPrivate` lists the host as a name
 * or an address, with or without its port. Throws `file_refused`, and `file_unavailable` if the host does not exist.
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
          throw new Problem("file_unavailable", `the host name ${name} does not resolve`, {cause})
        })
  if (isAllowed(url, allowPrivate)) return found
  const open = found.filter(({address}) => isPublicAddress(address))
  if (open.length > 0) return open
  throw new Problem("file_refused", `${url.host} is a private address or this machine; the Host fetches nothing there`)
}
