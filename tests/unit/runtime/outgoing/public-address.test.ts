import {describe, expect, test} from "vitest"
import {isPublicAddress} from "../../../../server/runtime/outgoing/resolve.ts"

describe("a public address on the Internet", () => {
  test.each(["1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])(
    "%s",
    address => expect(isPublicAddress(address)).toBe(true),
  )
})

describe("an address that is not public", () => {
  test.each<[string, readonly string[]]>([
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
    ["link-local", ["169.254.1.1", "fe80::1", "fe80::1%eth0", "fec0::1"]],
    ["unique-local", ["fc00::1", "fdff::1"]],
    ["shared by customers of a provider (CGNAT)", ["100.64.0.1", "100.127.255.255"]],
    ["multicast and broadcast", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
    [
      "reserved or for documentation",
      ["240.0.0.1", "198.18.0.1", "192.0.2.1", "203.0.113.1", "2001:db8::1", "4000::1"],
    ],
    ["metadata of a cloud", ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"]],
    ["an IPv4 address inside IPv6", ["::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1"]],
    ["a tunnel", ["2002:7f00:1::", "2001::1"]],
    ["not an address", ["", "localhost", "1.2.3", "0x7f.1", "127.1"]],
  ])("%s", (_, addresses) => expect(addresses.filter(isPublicAddress)).toEqual([]))
})
