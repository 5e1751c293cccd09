import {createServer, type ServerResponse} from "node:http"
import {describe, expect, test} from "vitest"
import {boundedStream} from "../../../../server/runtime/outgoing/bounded-stream.ts"
import {type OpenUrlOptions, openUrl} from "../../../../server/runtime/outgoing/open-url.ts"
import type {Address} from "../../../../server/runtime/outgoing/resolve.ts"
import {problemOf} from "../../../support/host/problems.ts"
import {shared} from "../../../support/host/shared.ts"
import {listen} from "../../../support/machine/listen.ts"

const loopback = "127.0.0.1"
const asked: string[] = []
let port = 0

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/hello": response => void response.end("hello"),
  "/away": response => void response.writeHead(302, {location: "/hello"}).end(),
  "/home": response => void response.writeHead(302, {location: `http://127.0.0.2:${port}/hello`}).end(),
  "/round": response => void response.writeHead(307, {location: "/round"}).end(),
  "/file": response => void response.writeHead(301, {location: "file:///etc/passwd"}).end(),
  "/missing": response => void response.writeHead(404).end("no"),
  "/packed": response => void response.writeHead(200, {"content-encoding": "gzip"}).end("x"),
  "/short": response => {
    response.writeHead(200, {"content-length": 100}).write("abc", () => response.destroy())
  },
  "/stops": response => void response.writeHead(200).write("abc"),
  "/silent": () => {},
}

const serveAt = (host: string) => {
  const server = createServer((request, response) => {
    asked.push(`${host} ${request.headers.host} ${request.url}`)
    answers[request.url ?? ""]?.(response)
  })
  return listen(server, port, host)
}

shared(async () => {
  port = await serveAt(loopback)
  return serveAt("127.0.0.2")
})

const never = new AbortController().signal

const open = (address: string, more: Partial<OpenUrlOptions> = {}) =>
  openUrl(address, {signal: never, allowPrivate: [`${loopback}:${port}`], ...more})

const read = async (address: string, more: Partial<OpenUrlOptions> = {}) =>
  new Response(boundedStream(await open(address, more), {limit: 1000, signal: never})).text()

const at = (path: string, host = loopback) => `http://${host}:${port}${path}`

describe("an address", () => {
  test("that is permitted is read, with its size, also behind a redirect", async () => {
    expect((await open(at("/hello"))).size).toBe(5)
    expect(await read(at("/hello"))).toBe("hello")
    expect(await read(at("/away"))).toBe("hello")
  })

  test.each(
    `http://127.0.0.1/secret http://2130706433/secret http://0x7f.1/secret http://[::1]/secret
    http://[::ffff:7f00:1]/secret http://169.254.169.254/secret https://10.0.0.1:8443/secret
    http://localhost/secret`.split(/\s+/),
  )("in a private network is refused before any connection: %s", async address => {
    const refused = await problemOf(open(address, {allowPrivate: []}))
    expect(refused).toMatch(/^file_refused: .*\bprivate\b/)
    expect(refused).not.toContain("secret")
  })

  test.each([
    ["ftp://example.org/x", "the Host fetches only http: and https: addresses, not ftp:"],
    ["http://me:hidden@example.org/x", "the address of example.org contains a user name or a password"],
    ["nothing", "its address is not a URL"],
  ])("that is not valid for the Host is refused: %s", async (address, why) => {
    expect(await problemOf(open(address))).toBe(`file_refused: ${why}`)
  })

  test("that redirects to a private one, to another scheme or endlessly is refused", async () => {
    asked.length = 0
    expect(await problemOf(open(at("/home")))).toMatch(/^file_refused: 127\.0\.0\.2:\d+ .*\bprivate\b/)
    expect(await problemOf(open(at("/file")))).toMatch(/^file_refused: .*\bhttp: and https: .*file:$/)
    expect(await problemOf(open(at("/round")))).toBe(`file_refused: ${loopback}:${port} redirects more than 5 times`)
    expect(asked.filter(line => line.startsWith("127.0.0.2"))).toEqual([])
    expect(asked.filter(line => line.endsWith("/round"))).toHaveLength(6)
  })

  test("is allowed by name, by address, or by a single port of these", async () => {
    const lookup = async () => [{address: loopback, family: 4}]
    const named = at("/hello", "Media.test")
    for (const entry of ["media.test", `MEDIA.test:${port}`])
      expect(await read(named, {lookup, allowPrivate: [entry]})).toBe("hello")
    for (const entry of [loopback, "media.test:1", "test", ""])
      expect(await problemOf(open(named, {lookup, allowPrivate: [entry]}))).toMatch(/^file_refused/)
    expect(await read(at("/hello"), {allowPrivate: [loopback]})).toBe("hello")
  })
})

describe("a name", () => {
  const lookupOf = (...found: (readonly string[])[]) => {
    let looked = 0
    const lookup = async (): Promise<readonly Address[]> => {
      return (found[Math.min(looked++, found.length - 1)] ?? []).map(address => ({address, family: 4}))
    }
    return {lookup, looked: () => looked}
  }

  test("is looked up once: the connection uses the checked address, whatever the name means later", async () => {
    asked.length = 0
    const {lookup, looked} = lookupOf([loopback], ["127.0.0.2"])
    expect(await read(at("/hello", "rebind.test"), {lookup, allowPrivate: ["rebind.test"]})).toBe("hello")
    expect(looked()).toBe(1)
    expect(asked).toEqual([`${loopback} rebind.test:${port} /hello`])
  })

  test("that becomes private after a redirect is refused", async () => {
    const lookup = async (name: string) => [{address: name === "first.test" ? loopback : "10.0.0.1", family: 4}]
    const moved = {lookup, allowPrivate: ["first.test"]}
    expect(await read(at("/away", "first.test"), moved)).toBe("hello")
    expect(await problemOf(open(at("/home", "first.test"), moved))).toMatch(/^file_refused: 127.0.0.2/)
  })

  test("with public and private addresses is never reached at a private one", async () => {
    asked.length = 0
    const {lookup} = lookupOf([loopback, "192.0.2.1"])
    expect(await problemOf(open(at("/hello", "mixed.test"), {lookup}))).toMatch(/^file_refused/)
    expect(asked).toEqual([])
  })

  test("is reached at its next address if the first one does not answer", async () => {
    const {lookup} = lookupOf(["127.0.0.3", loopback])
    expect(await read(at("/hello", "two.test"), {lookup, allowPrivate: ["two.test"]})).toBe("hello")
  })

  test("that does not exist is reported", async () => {
    const lookup = async () => Promise.reject(new Error("ENOTFOUND"))
    expect(await problemOf(open("http://nowhere.test/", {lookup}))).toBe(
      "file_unavailable: the host name nowhere.test does not resolve",
    )
  })
})

describe("a server that", () => {
  test.each([
    ["answers with an error", "/missing", /^file_unavailable: 127.0.0.1:\d+ answered 404$/],
    [
      "compresses what it was asked not to",
      "/packed",
      /^file_unavailable: 127.0.0.1:\d+ sent the file compressed \(gzip\)$/,
    ],
    ["ends in the middle", "/short", /^file_unavailable: the file was cut off$/],
  ])("%s makes the file unavailable", async (_, path, message) => {
    expect(await problemOf(read(at(path)))).toMatch(message)
  })

  test("never answers, or stops, is abandoned after the time limit", async () => {
    expect(await problemOf(open(at("/silent"), {patience: 50}))).toMatch(/did not answer: timed out after 0.05 s$/)
    const stream = boundedStream(await open(at("/stops")), {limit: 1000, signal: never, idle: 50})
    expect(await problemOf(new Response(stream).text())).toBe("file_unavailable: the file stalled for 0.05 s")
  })

  test("never answers is abandoned when the signal is aborted, with its reason", async () => {
    const abort = new AbortController()
    const opening = open(at("/silent"), {signal: abort.signal}).catch(error => error)
    abort.abort("enough")
    expect(await opening).toBe("enough")
  })
})
