import {once} from "node:events"
import {connect, createServer} from "node:net"
import {describe, expect, test} from "vitest"
import {readPositions, writePositions} from "../../../../server/adapters/xmpp/archive/cursor.ts"
import {failureIn, isPassing, outcomeOf, streamFailure} from "../../../../server/adapters/xmpp/stream/failures.ts"
import {bare, domainOf, isJid, localOf, normal, resourceOf} from "../../../../server/adapters/xmpp/stream/jid.ts"
import {LibrarySocket} from "../../../../server/adapters/xmpp/stream/library-socket.ts"
import {listen} from "../../../support/machine/listen.ts"
import {parseXml} from "../../../support/platforms/xmpp/parse.ts"

test("an address is split into its parts", () => {
  expect(bare("Ann@Example.ORG/Phone/2")).toBe("ann@example.org")
  expect(resourceOf("ann@example.org/Phone/2")).toBe("Phone/2")
  expect(normal("Team@Rooms.example/Ann B")).toBe("team@rooms.example/Ann B")
  expect([localOf("ann@example.org"), domainOf("ann@example.org/x"), localOf("example.org")]).toEqual([
    "ann",
    "example.org",
    "",
  ])
})

test.each(["", "ann", "@example.org", "ann@", "a b@example.org", "ann@example.org/", "<x@y", "ann@x\0"])(
  "%j is not an address",
  text => expect(isJid(text)).toBe(false),
)

describe("the cursor", () => {
  test("keeps the position in each archive", () => {
    const positions = new Map([
      ["team@rooms.example", {id: "b", at: 2}],
      ["bot@example.org", {id: "", at: 1}],
    ])
    expect(readPositions(writePositions(positions))).toEqual(positions)
  })

  test.each([undefined, "", "[]", "{", "null", '{"archives":null}', '{"archives":{"a":1,"b":{"id":1,"at":2}}}'])(
    "of %j is empty",
    cursor => expect(readPositions(cursor).size).toBe(0),
  )
})

const error = (type: string, condition: string, text = "") =>
  parseXml(
    `<message type='error'><error type='${type}'>${text}<${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`,
  )

describe("an error is classified:", () => {
  test.each([
    ["cancel", "service-unavailable", true],
    ["auth", "forbidden", true],
    ["modify", "not-acceptable", false],
    ["wait", "resource-constraint", false],
    ["wait", "policy-violation", false],
    ["cancel", "remote-server-timeout", false],
  ])("%s %s", (type, condition, isRefused) => {
    const failure = failureIn(error(type, condition))
    expect(failure).toMatchObject({condition, type})
    expect(isPassing(failure)).toBe(!isRefused)
    const outcome = outcomeOf("ann@example.org", failure)
    if (isRefused) expect(outcome).toMatchObject({reason: `xmpp_${condition.replaceAll("-", "_")}`, remediation: /./})
    else expect(outcome).not.toHaveProperty("remediation")
  })

  test("its text may come first or last, and a stanza without a text is an error too", () => {
    const text = "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>no voice</text>"
    expect(failureIn(error("auth", "forbidden", text)).message).toBe("forbidden: no voice")
    expect(failureIn(parseXml("<message type='error'/>"))).toMatchObject({
      condition: "undefined-condition",
      type: "cancel",
    })
  })

  test.each([
    ["SASLError", "not-authorized", "credentials"],
    ["SASLError", "account-disabled", "credentials"],
    ["SASLError", "temporary-auth-failure", undefined],
    ["StreamError", "conflict", "conflict"],
    ["StreamError", "host-unknown", "target_unknown"],
    ["StreamError", "system-shutdown", undefined],
  ])("%s %s of a stream", (name, condition, reason) => {
    const failure = streamFailure(Object.assign(new Error(condition), {name, condition}), "bot@example.org")
    expect((failure as {reason?: string}).reason).toBe(reason)
  })
})

test("a character split over two chunks stays whole, and a library error ends the connection", async () => {
  const server = createServer()
  const near = connect(await listen(server), "127.0.0.1")
  const [far] = await once(server, "connection")
  const socket = new LibrarySocket({socket: near, isSecure: false})
  let said = ""
  socket.on("data", text => {
    said += text
    if (said.includes("!")) throw new Error("not well-formed")
  })
  const failed = once(socket, "error").catch(error => [error])
  const closed = new Promise(resolve => socket.on("close", resolve))
  const bytes = Buffer.from("<body>😀</body>")
  far.write(bytes.subarray(0, 8))
  await new Promise(resolve => setTimeout(resolve, 20))
  far.write(bytes.subarray(8))
  while (said.length < "<body>😀</body>".length) await new Promise(resolve => setTimeout(resolve, 5))
  expect(said).toBe("<body>😀</body>")
  far.write("!")
  await closed
  expect((await failed)[0]).toMatchObject({message: "not well-formed"})
})
