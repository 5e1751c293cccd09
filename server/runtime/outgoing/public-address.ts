import {isIP} from "node:net"
import ipaddr from "ipaddr.js"

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
