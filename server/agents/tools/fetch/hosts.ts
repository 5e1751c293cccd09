const ports: Readonly<Record<string, string>> = {"http:": "80", "https:": "443"}

/**
 * Whether these hosts include the host of an address. `example.org` is that name at its scheme's default port,
 * `example.org:8443` only at this port, and `*.example.org` each name below it, but not itself.
 */
export const isListed = (url: URL, hosts: readonly string[]): boolean =>
  hosts.some(host => fits(url, host.toLowerCase()))

const fits = ({protocol, hostname, port}: URL, listed: string): boolean => {
  const [name = "", ownPort] = listed.split(":")
  const usual = ports[protocol]
  if ((port === "" ? usual : port) !== (ownPort ?? usual)) return false
  return name.startsWith("*.")
    ? hostname.endsWith(name.slice(1)) && hostname.length > name.length - 1
    : hostname === name
}
