import {BlockList, isIP} from "node:net"

/**
 * Returns the client's address: the socket's peer or, behind trusted proxies, the nearest address in `X-Forwarded-For`
 * that is not one of them. A header from any other peer is ignored, and so is everything beyond an entry that is not an
 * address.
 */
export const createClientAddress = (trustedProxies: readonly string[]) => {
  const trusted = new BlockList()
  for (const entry of trustedProxies) add(trusted, entry)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
  return (peer: string, request: Request): string => {
    let nearest = plain(peer)
    if (isIP(nearest) === 0 || !isTrusted(nearest)) return nearest
    const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map(hop => plain(hop.trim()))
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) return nearest
      nearest = hop
      if (!isTrusted(hop)) return hop
    }
    return nearest
  }
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const plain = (address: string) =>
  address
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/^::ffff:(?=\d+\.)/, "")

const add = (list: BlockList, entry: string) => {
  const [address = "", bits] = entry.split("/")
  const family = isIP(address) === 6 ? "ipv6" : "ipv4"
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}
