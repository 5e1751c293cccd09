import {describe, expect, test} from "vitest"
import {onBun, runtimes, shared, startHost} from "../../support/host/host.ts"
import {raw} from "../../support/http/raw.ts"

const statusOf = (answer: string) => answer.match(/^HTTP\/1\.1 (\d+)/)?.[1]

const upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

describe.each(runtimes)("the head of a request on $name", runtime => {
  const host = shared(() => startHost({runtime}))
  const ask = (line: string, head: string, connection = "close") =>
    raw(host(), `${line}\r\n${head}Connection: ${connection}\r\n\r\n`, /\r\n\r\n[\s\S]*\}$/)

  const hosts = [
    "a@b/c",
    "a@b",
    "a/b",
    "a,b",
    "a b",
    "a\\b",
    "a?b",
    "a#b",
    "",
    "a:port",
    "a:99999",
    "[::1",
    "1.2.3.4.5",
  ]
  const paths = ["/pub/health", "/pub/ready", "/console/", "/api/session", "/nothing"]

  test("with a Host header that is not one name or address is refused on every path and upgrade", async () => {
    for (const name of hosts) {
      for (const path of paths) {
        const answer = await ask(`GET ${path} HTTP/1.1`, `Host: ${name}\r\n`)
        expect({name, path, status: statusOf(answer)}).toEqual({name, path, status: "400"})
        expect(answer).toContain("application/problem+json")
        expect(answer).toContain('"code":"host_invalid"')
        expect(answer).not.toMatch(/node_modules|\.ts:|<html/)
      }
      expect(await ask("GET /satori/v1/events HTTP/1.1", `Host: ${name}\r\n${upgrade}`, "Upgrade")).toContain(
        "host_invalid",
      )
    }
    expect(statusOf(await ask("GET /pub/health HTTP/1.1", "Host: a\u0001b\r\n"))).toBe("400")
  })

  test("with a repeated or missing Host header is refused; HTTP/1.0 needs none", async () => {
    for (const path of paths) {
      expect(await ask(`GET ${path} HTTP/1.1`, "Host: a\r\nHost: a\r\n")).toContain("host_invalid")
      const missing = await ask(`GET ${path} HTTP/1.1`, "")
      expect(statusOf(missing)).toBe("400")
      // Bun refuses it before svc, with an empty answer.
      if (runtime !== onBun) expect(missing).toContain("host_invalid")
    }
    expect(statusOf(await ask("GET /pub/health HTTP/1.0", ""))).toBe("200")
    expect(statusOf(await ask("GET /nothing HTTP/1.0", ""))).toBe("404")
  })

  test("may name hosts and addresses with or without a port", async () => {
    for (const name of ["a", "a.b", "A_b.example:8068", "127.0.0.1:1", "[::1]:8068", "a:"]) {
      expect(statusOf(await ask("GET /pub/health HTTP/1.1", `Host: ${name}\r\n`))).toBe("200")
      expect(statusOf(await ask("GET /api/session HTTP/1.1", `Host: ${name}\r\n`))).toBe("401")
    }
    expect(statusOf(await ask("GET http://b/pub/ready HTTP/1.1", "Host: a\r\n"))).not.toBe("400")
  })

  test("may have control characters in its query, but not in its path", async () => {
    for (const path of ["/console/%00", "/nothing%0a", "/a%1Fb", "/a%7f"]) {
      const answer = await ask(`GET ${path} HTTP/1.1`, "Host: a\r\n")
      expect({path, answer}).toEqual({path, answer: expect.stringContaining('"code":"path_invalid"')})
    }
    for (const raw of ["\u0001", "\u007f", "\t"]) {
      expect(statusOf(await ask(`GET /pub${raw}health HTTP/1.1`, "Host: a\r\n"))).toMatch(/^(400|505)$/)
    }
    expect(statusOf(await ask("GET /api/session?text=%0A HTTP/1.1", "Host: a\r\n"))).toBe("401")
  })

  test("with OPTIONS * asks about the server; no other method has that target", async () => {
    const options = await ask("OPTIONS * HTTP/1.1", "Host: a\r\n")
    // Bun refuses every request with this target before svc.
    expect(statusOf(options)).toBe(runtime === onBun ? "400" : "204")
    if (runtime !== onBun) expect(options).toMatch(/^allow: GET/im)
    expect(statusOf(await ask("GET * HTTP/1.1", "Host: a\r\n"))).toBe("400")
  })

  test("causes nothing but log lines on standard error", async () => {
    await ask("GET /nothing HTTP/1.1", "Host: a@b/c\r\n")
    expect(host().process.output()).not.toMatch(/^\s+at |^\d+ \| |TypeError/m)
  })
})
