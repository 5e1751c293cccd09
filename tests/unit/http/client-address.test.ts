import {expect, test} from "vitest"
import {createClientAddress} from "../../../server/http/requests/client-address.ts"

const find = createClientAddress(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])

const asked = (forwarded?: string) =>
  new Request("http://a/", forwarded === undefined ? {} : {headers: {"x-forwarded-for": forwarded}})

test.each<readonly [peer: string, forwarded: string | undefined, client: string, why: string]>([
  ["192.0.2.1", "198.51.100.1", "192.0.2.1", "a stranger's header is not trusted"],
  ["127.0.0.1", undefined, "127.0.0.1", "without a header it is the peer"],
  ["127.0.0.1", "198.51.100.1", "198.51.100.1", "a trusted proxy's is"],
  ["::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1", "an IPv4 peer on an IPv6 socket is the same peer"],
  [
    "127.0.0.1",
    "6.6.6.6, 198.51.100.1",
    "198.51.100.1",
    "the nearest one counts, not the one a stranger wrote before it",
  ],
  ["127.0.0.1", "6.6.6.6, 198.51.100.1, 10.1.2.3", "198.51.100.1", "trusted proxies in between are skipped"],
  ["127.0.0.1", "10.1.2.3, 2001:db8::1", "10.1.2.3", "if all are trusted it is the farthest"],
  ["127.0.0.1", "6.6.6.6, 198.51.100.1:4711", "198.51.100.1", "a port is not part of it"],
  ["127.0.0.1", "6.6.6.6, [2001:dead::1]:4711", "2001:dead::1", "nor is it with IPv6"],
  ["127.0.0.1", "6.6.6.6, unknown", "127.0.0.1", "nothing beyond an invalid entry is trusted"],
  ["127.0.0.1", "6.6.6.6, , 10.1.2.3", "10.1.2.3", "nor beyond an empty one"],
])("peer %s with %j is %s: %s", (peer, forwarded, client) => expect(find(peer, asked(forwarded))).toBe(client))
