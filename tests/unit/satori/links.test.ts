import {expect, test} from "vitest"
import {eventLink, readLink, storedLink} from "../../../server/http/satori/protocol/links.ts"
import type {KnownLogin} from "../../../server/http/satori/protocol/protocol.ts"

const hash = "ab".repeat(32)
const loginOf = (platform: string, id: string): KnownLogin => ({
  endpoint: "e",
  sn: 1,
  adapter: "a",
  platform,
  user: {id},
  status: 1,
  features: [],
  downloads: true,
})

test.each([
  ["irc", "bot"],
  ["matrix", "@bot:example.org"],
  ["mail", "bot+x@example.org"],
  ["a/b%2Fc", 'd?e#f <g>&"h"'],
])("a link of %s and %s leads back to both", (platform, user) => {
  const login = loginOf(platform, user)
  const link = eventLink(login, 12, 3, "a b/ü?.png")
  expect(link).toMatch(/^internal:[^\s"<>&?#]+$/)
  expect(readLink(link)).toEqual({is: "event", platform, user, seq: 12, number: 3})
  expect(readLink(storedLink(login, hash, "a b/ü?.png"))).toEqual({is: "stored", sha256: hash, name: "a b/ü?.png"})
})

test("Koishi finds a login's platform and user unescaped in the path", () => {
  const {pathname} = new URL(storedLink(loginOf("matrix", "@bot:example.org"), hash, "a.png"))
  expect(/^([^/]+)\/([^/]+)(.+)$/.exec(pathname)?.slice(1, 3)).toEqual(["matrix", "@bot:example.org"])
})

test("an adapter's own link is one, and a foreign link is not", () => {
  expect(readLink("internal:irc/bot/own/1")).toEqual({
    is: "adapter",
    platform: "irc",
    user: "bot",
    src: "internal:irc/bot/own/1",
  })
  expect(readLink(`internal:svc/files/${hash}`)).toMatchObject({is: "stored", sha256: hash})
  for (const text of [
    "https://example.org",
    "internal:",
    "internal:irc",
    "internal:irc/bot",
    `internal:irc/bot/_svc/files/${hash.slice(1)}`,
    "internal:irc/bot/_svc/files/../x",
    "internal:irc/bot/_svc/events/1",
    "internal:irc/bot/_svc/events/-1/0",
    "internal:irc/bot/_svc/other/1/2",
    hash,
  ])
    expect(readLink(text)).toBeUndefined()
})
