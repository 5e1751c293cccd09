import {BlockList, isIP} from "node:net"

/**
 * Who is asking: the socket's peer, or, behind trusted proxies, the nearest address in `X-Forwarded-For` that is not
 * one of them. A header from anybody else is not believed.
 */
export const createClientAddress = (trustedProxies: readonly string[]) => {
  const trusted = new BlockList()
  for (const entry of trustedProxies) add(trusted, entry)
  const isTrusted = (address: string) => {
    const family = isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4")
  }
  return (peer: string, request: Request): string => {
    if (!isTrusted(plain(peer))) return plain(peer)
    const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map(hop => plain(hop.trim()))
    return hops.reverse().find(hop => isIP(hop) !== 0 && !isTrusted(hop)) ?? plain(peer)
  }
}

const plain = (address: string) => address.replace(/^::ffff:/, "")

const add = (list: BlockList, entry: string) => {
  const [address = "", bits] = entry.split("/")
  const family = isIP(address) === 6 ? "ipv6" : "ipv4"
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}
