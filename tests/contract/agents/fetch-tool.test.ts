import {createServer, type ServerResponse} from "node:http"
import {expect, test} from "vitest"
import {fetchTool} from "../../../server/agents/tools/fetch/fetch.ts"
import {bindingOf, callTool, runOf} from "../../support/agents/tool-use.ts"
import {shared} from "../../support/host/shared.ts"
import {listen} from "../../support/machine/listen.ts"

const asked: string[] = []
let port = 0

const answer = (response: ServerResponse, type: string | undefined, body: string | Uint8Array = "x") =>
  void response.writeHead(200, type === undefined ? {} : {"content-type": type}).end(body)
const redirect = (response: ServerResponse, location: string) => void response.writeHead(302, {location}).end()

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/page": response =>
    answer(response, "text/html; charset=utf-8", "<title>Docs</title><p>Grüße &amp; so<script>x</script>"),
  "/old": response => answer(response, 'text/plain; charset="latin1"', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65)),
  "/odd": response => answer(response, "text/plain; charset=klingon", "plain"),
  "/json": response => answer(response, "application/problem+json", '{"a": 1}'),
  "/image": response => answer(response, "image/png"),
  "/binary": response => answer(response, "application/octet-stream"),
  "/untyped": response => answer(response, undefined),
  "/missing": response => void response.writeHead(404, {"content-type": "text/plain"}).end("no"),
  "/large": response => answer(response, "text/plain", "€".repeat(100_000)),
  "/middle": response => answer(response, "text/plain", "a".repeat(70_000)),
  "/endless": response => {
    response.writeHead(200, {"content-type": "text/plain"})
    const more = () => {
      while (!response.destroyed && response.write("a".repeat(65_536)));
      response.once("drain", more)
    }
    more()
  },
  "/stops": response => void response.writeHead(200, {"content-type": "text/plain"}).write("abc"),
  "/silent": () => {},
  "/short": response => {
    response
      .writeHead(200, {"content-type": "text/plain", "content-length": 100})
      .write("abc", () => response.destroy())
  },
  "/away": response => redirect(response, "/page"),
  "/round": response => redirect(response, "/round"),
  "/private": response => redirect(response, `http://127.0.0.2:${port}/page`),
  "/unlisted": response => redirect(response, `http://localhost:${port}/page`),
  "/file": response => redirect(response, "file:///etc/passwd"),
}

const serverOn = (host: string) =>
  createServer((request, response) => {
    asked.push(`${host}${request.url} ${request.method} ${request.headers["user-agent"]}`)
    answers[request.url ?? ""]?.(response)
  })

shared(async () => {
  port = await listen(serverOn("127.0.0.1"))
  await listen(serverOn("127.0.0.2"), port, "127.0.0.2")
})

/** A fetch tool that may read the private address of the first server only; its binding lists both servers. */
const fetching = async (url: string, own: {patience?: number; signal?: AbortSignal; hosts?: string[]} = {}) => {
  const {patience, signal, hosts = [`127.0.0.1:${port}`, `127.0.0.2:${port}`, "127.0.0.1", "*.example.org"]} = own
  const tool = fetchTool({
    privateHosts: () => [`127.0.0.1:${port}`],
    lookup: async () => [{address: "127.0.0.1", family: 4}],
    ...(patience === undefined ? {} : {patience}),
  })
  const binding = bindingOf({fetch: {hosts}})
  const {value} = await callTool(tool, {url}, {binding, ...(signal === undefined ? {} : {signal})})
  return value
}

const at = (path: string, host = "127.0.0.1") => `http://${host}:${port}${path}`
const failure = (work: Promise<unknown>) => work.then(String, error => `${error.code}: ${error.message}`)

test("a page is read as its text, also behind a redirect", async () => {
  expect(await fetching(at("/page"))).toBe("Docs\n\nGrüße & so")
  expect(await fetching(at("/away"))).toBe("Docs\n\nGrüße & so")
  expect(asked).toContain("127.0.0.1/page GET svc")
})

test("text is decoded by its charset, and as UTF-8 when the charset is unknown", async () => {
  expect(await fetching(at("/old"))).toBe("Grüße")
  expect(await fetching(at("/odd"))).toBe("plain")
  expect(await fetching(at("/json"))).toBe('{"a": 1}')
})

test.each([
  ["/image", "image/png"],
  ["/binary", "application/octet-stream"],
  ["/untyped", "no content type"],
])("content that is not text is refused: %s", async (path, type) => {
  expect(await failure(fetching(at(path)))).toMatch(new RegExp(`^file_refused: 127.0.0.1:${port} .*${type}`))
})

test.each(
  `http://127.0.0.1/page http://0x7f.1/page http://2130706433/page http://0177.0.0.1/page http://127.1/page
  http://inside.example.org/page`.split(/\s+/),
)("a private address is refused even when its host is listed: %s", async url => {
  expect(await failure(fetching(url))).toMatch(/^file_refused: .*\bprivate\b/)
})

test.each([
  "http://[::ffff:127.0.0.1]/page",
  "http://[::1]/page",
  "http://169.254.169.254/latest/meta-data",
  "https://evil.net/",
  "https://example.org/",
])("a host that is not listed is refused: %s", async url => {
  const refused = await failure(fetching(url))
  expect(refused).toContain(` ${new URL(url).host}. `)
  expect(refused).toMatch(/^file_refused: /)
  expect(refused).toContain(`: 127.0.0.1:${port}, 127.0.0.2:${port}, 127.0.0.1, *.example.org.`)
})

test("a redirect is checked like the address itself", async () => {
  const before = asked.filter(each => each.startsWith("127.0.0.2")).length
  expect(await failure(fetching(at("/private")))).toMatch(/^file_refused: 127\.0\.0\.2:\d+ .*\bprivate\b/)
  expect(await failure(fetching(at("/unlisted")))).toMatch(/^file_refused: .* localhost:\d+\. /)
  expect(await failure(fetching(at("/file")))).toMatch(/^file_refused: .*http: and https: .*file:$/)
  expect(await failure(fetching(at("/round")))).toMatch(/^file_refused: .* redirects more than 5 times/)
  expect(asked.filter(each => each.startsWith("127.0.0.2"))).toHaveLength(before)
})

test.each([
  ["ftp://127.0.0.1/page", /http: and https: .*ftp:$/],
  ["file:///etc/passwd", /http: and https: .*file:$/],
  ["nonsense", /\bURL$/],
])("an address that is not a web address is refused: %s", async (url, why) => {
  expect(await failure(fetching(url))).toMatch(why)
})

test("an address with a password in it is refused", async () => {
  expect(await failure(fetching(`http://me:secret@127.0.0.1:${port}/page`))).toMatch(
    /^file_refused: .*127\.0\.0\.1:\d+ .*\bpassword$/,
  )
})

test("a large page is cut, and the result says so", async () => {
  expect(String(await fetching(at("/large")))).toMatch(
    /^€+\n\[Cut: only the first 65536 of 87381 characters are shown\.\]\n\[Cut: only the first 262144 bytes/,
  )
  expect(String(await fetching(at("/endless")))).toContain("first 262144 bytes")
  expect(String(await fetching(at("/middle")))).toMatch(
    /a\n\[Cut: only the first 65536 of 70000 characters are shown\.\]$/,
  )
})

test("the model learns when a server fails, breaks off or is too slow", async () => {
  expect(await failure(fetching(at("/missing")))).toBe(`file_unavailable: 127.0.0.1:${port} answered 404`)
  expect(await failure(fetching(at("/short")))).toMatch(new RegExp(`^file_unavailable: 127.0.0.1:${port} (?!answered)`))
  const slow = `^file_unavailable: 127.0.0.1:${port} .*\\b0.05 s$`
  expect(await failure(fetching(at("/stops"), {patience: 50}))).toMatch(new RegExp(slow))
  expect(await failure(fetching(at("/silent"), {patience: 50}))).toMatch(
    /^file_unavailable: .*(too slow|did not answer)/,
  )
})

test("the end of a run aborts its fetch", async () => {
  const run = new AbortController()
  const reading = fetching(at("/stops"), {signal: run.signal})
  run.abort(new Error("cancelled"))
  await expect(reading).rejects.toThrow("cancelled")
})

test("a binding without hosts lacks the tool, and a person sees the whole address", async () => {
  const tool = fetchTool({privateHosts: () => []})
  expect(tool.problem?.(bindingOf({fetch: {}}))).toContain("agents.helper.tools.fetch.hosts")
  expect(tool.problem?.(bindingOf({fetch: {hosts: ["example.org"]}}))).toBeUndefined()
  expect(tool.describe?.({url: "https://example.org/a?b=c d\n"}, runOf())).toBe("Read https://example.org/a?b=c%20d")
  expect(tool.refusal?.({url: "https://evil.net/"}, bindingOf({fetch: {hosts: ["example.org"]}}), runOf())).toEqual(
    expect.stringMatching(/ evil\.net\. .*: example\.org\.$/),
  )
})
