import {lookup} from "node:dns/promises"
import {BlockList, isIP} from "node:net"

const listOf = (type: "ipv4" | "ipv6", ranges: string): BlockList => {
  const found = new BlockList()
  for (const range of ranges.split(/\s+/)) {
    const [net = "", prefix] = range.split("/")
    found.addSubnet(net, Number(prefix), type)
  }
  return found
}

/** Private, shared, loopback, link-local, documentation and reserved ranges, and the machine address of a cloud. */
const closed4 = listOf(
  "ipv4",
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`,
)
/** The range of the Internet, without the parts for documentation and those that carry an IPv4 address. */
const open6 = listOf("ipv6", "2000::/3")
const closed6 = listOf("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20")

export const isPublic = (address: string): boolean => {
  if (isIP(address) === 4) return !closed4.check(address, "ipv4")
  return isIP(address) === 6 && open6.check(address, "ipv6") && !closed6.check(address, "ipv6")
}

/** Returns the addresses to which a server with the addresses `from` may redirect. */
export const allowedFrom = (from: readonly string[], to: readonly string[]): readonly string[] =>
  from.some(isPublic) ? to.filter(isPublic) : to

/** Returns the host of a URL in the form for a socket: an IPv6 address without brackets. */
export const hostOf = ({hostname}: URL): string => hostname.replace(/^\[|\]$/g, "")

/** Resolves to the addresses of a URL's host. */
export const addressesOf = async (url: URL): Promise<readonly string[]> => {
  const host = hostOf(url)
  if (isIP(host) > 0) return [host]
  return (await lookup(host, {all: true})).map(({address}) => address)
}
