import {expect, test} from "vitest"
import {allows} from "../../../../server/adapters/email/mailbox/account.ts"
import {
  againSince,
  firstCursor,
  formatCursor,
  isFromBefore,
  movedCursor,
  parseCursor,
} from "../../../../server/adapters/email/mailbox/cursor.ts"
import {parseFileSource} from "../../../../server/adapters/email/mailbox/download.ts"
import {
  channelOf,
  eventId,
  messageIdsOf,
  normalAddress,
  ownMessageId,
  placeOf,
  threadOf,
  threadOfMail,
} from "../../../../server/adapters/email/mailbox/ids.ts"

test("a channel is an address, or an address with a thread, and can be parsed again", () => {
  for (const place of [{address: "ann@example.org"}, {address: "a/b@example.org", thread: threadOf("r@x")}])
    expect(placeOf(channelOf(place))).toEqual(place)
  expect(placeOf("Ann@Example.org")).toEqual({address: "ann@example.org"})
})

test.each([
  "",
  "ann",
  "#room",
  "a@b@c",
  "ann@example.org/short",
  "ann@x.test\r\nBcc: eve@x.test",
  "a b@x.test",
  "<a@x.test>",
])("%j is not a channel", channel => expect(placeOf(channel)).toBeUndefined())

test.each(["a@b\0", "@b", "a@", `${"a".repeat(250)}@b.test`, "a@b,c@d", "a@\ud800"])("%j is not an address", address =>
  expect(normalAddress(address)).toBeUndefined(),
)

test("ids are found in headers with other content", () => {
  expect(messageIdsOf("<a@b> (comment) <c@d>, <bad id> <> <e\0f>")).toEqual(["a@b", "c@d"])
})

test("the thread is the same from the first mail to the last", () => {
  const own = "bot@svc.test"
  const thread = threadOfMail({messageId: "r@x", inReplyTo: [], references: []}, own)
  expect(thread).toBe(threadOf("r@x"))
  const answer = ownMessageId("0192-abc", {address: "ann@x", thread}, own)
  expect(threadOfMail({messageId: "2@x", inReplyTo: [answer], references: ["r@x", answer]}, own)).toBe(thread)
  // Some programs shorten or lose References.
  expect(threadOfMail({messageId: "2@x", inReplyTo: [answer], references: []}, own)).toBe(thread)
  expect(threadOfMail({messageId: "2@x", inReplyTo: [], references: ["z@x", answer]}, own)).toBe(thread)
  const other = ownMessageId("1", {address: "ann@x", thread: threadOf("q")}, "bot@elsewhere.test")
  expect(threadOfMail({messageId: "2@x", inReplyTo: [other], references: ["r@x"]}, own)).toBe(thread)
})

test("the answer to the first mail of a thread belongs to that thread", () => {
  const sent = ownMessageId("0192.2", {address: "ann@x"}, "bot@svc.test")
  expect(threadOfMail({messageId: "a@x", inReplyTo: [sent], references: [sent]}, "bot@svc.test")).toBe(threadOf(sent))
})

test("the bot's Message-ID is the same for each attempt, and has no line breaks", () => {
  expect(ownMessageId("a\r\nb.2", {address: "x@y"}, "Bot@SVC.test")).toBe("svc.a--b.2@svc.test")
})

test("an event's id distinguishes mails with the same Message-ID, and survives renumbering", () => {
  const header = Buffer.from("Received: by x; id 1\r\n")
  expect(eventId("m@x", "ann@x", "today", header)).toBe(eventId("m@x", "ann@x", "today", Buffer.from("other")))
  expect(eventId("m@x", "eve@x", "today", header)).not.toBe(eventId("m@x", "ann@x", "today", header))
  expect(eventId(undefined, "ann@x", "today", header)).toBe(eventId(undefined, "", "", header))
  expect(eventId(undefined, "ann@x", "", header)).not.toBe(eventId(undefined, "ann@x", "", Buffer.from("id 2")))
})

test("a cursor can be parsed again, and other text is refused", () => {
  const cursor = {...firstCursor({uidValidity: 7n, uidNext: 4}, 1000), stored: [2, 3]}
  expect(cursor).toEqual({validity: "7", uid: 3, at: 1000, from: 1000, stored: [2, 3]})
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor)
  for (const text of [undefined, "", "{", "null", "7", '{"validity":7}', formatCursor({...cursor, uid: Number.NaN})])
    expect(parseCursor(text)).toBeUndefined()
})

test("a renumbered folder is read again from before the newest mail", () => {
  const day = 86_400_000
  const cursor = {validity: "7", uid: 90, at: 30 * day, from: 10 * day, stored: [90]}
  expect(againSince(cursor)).toEqual(new Date(28 * day))
  const moved = movedCursor(cursor, {uidValidity: 8n, uidNext: 6}, [4, 3, 5])
  expect(moved).toEqual({...cursor, validity: "8", uid: 2, stored: [], again: 5})
  expect(movedCursor(cursor, {uidValidity: 8n, uidNext: 6}, []).uid).toBe(5)
  // IMAP gives arrival times without fractions of a second.
  const begun = {...moved, from: 10 * day + 900}
  expect([isFromBefore(begun, 3, 10 * day), isFromBefore(begun, 3, 10 * day - 1000)]).toEqual([false, true])
  expect([isFromBefore(moved, 3, 9 * day), isFromBefore(moved, 3, 11 * day), isFromBefore(moved, 6, 9 * day)]).toEqual([
    true,
    false,
    false,
  ])
})

test("a file's address names a part of a mail", () => {
  expect(parseFileSource("mail:12/3/1.2")).toEqual({validity: "12", uid: 3, part: "1.2"})
  for (const src of [undefined, "https://x.test", "mail:1/2/HEADER", "mail:1/2/1..2", "mail:1/2/1\r\n"])
    expect(parseFileSource(src)).toBeUndefined()
})

test("allow accepts addresses and whole domains", () => {
  const allow = ["Ann@x.test", "@friends.test"]
  expect(
    ["ann@x.test", "bob@friends.test", "bob@x.test", "eve@notfriends.test"].map(each => allows({allow}, each)),
  ).toEqual([true, true, false, false])
  expect(allows({}, "eve@x.test")).toBe(true)
  expect(allows({allow: []}, "ann@x.test")).toBe(false)
})
