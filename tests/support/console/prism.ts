import {appendFileSync, writeFileSync} from "node:fs"
import {createServer, type IncomingMessage, request, type ServerResponse} from "node:http"
import {join} from "node:path"
import {pipeline} from "node:stream"
import {expect, onTestFinished} from "vitest"
import {freePort, startProcess, type TestHost, until} from "../host/host.ts"
import {isOk} from "../host/process.ts"
import {documentOf} from "../host/questions.ts"
import {makeFolder} from "../machine/folders.ts"
import {listen} from "../machine/listen.ts"
import {npmTool} from "../machine/npm-tool.ts"

export const prism = npmTool("prism-5.16.0", ["@stoplight/prism-cli@5.16.0"])

/** The folder of each proxy's report on the requests that passed through it; undefined in a run without Prism. */
const report = process.env.SVC_TEST_PRISM

export interface PrismReport {
  readonly requests: number
  readonly direct: number
  readonly violations: readonly string[]
}

/** The proxies of the running tests: tabs of one Host share a proxy, which takes seconds to start. */
const running = new Map<TestHost, Promise<string>>()

/** A browser's address of the Host: through Prism if the run asks for it, and nothing may violate the document. */
export const meet = async (host: TestHost): Promise<string> => {
  if (report === undefined) return host.url
  const met = running.get(host) ?? proxyTo(host, report)
  running.set(host, met)
  return met
}

const proxyTo = async (host: TestHost, file: string): Promise<string> => {
  onTestFinished(() => void running.delete(host))
  const {url, told} = await startPrism(host, await documentOf(host))
  onTestFinished(() => {
    appendFileSync(file, `${JSON.stringify(told())}\n`)
    expect(told().violations).toEqual([])
  })
  return url
}

/**
 * Starts Prism in front of a Host, at its own address, to check it against the document. Prism buffers responses, so
 * streams go to the Host directly, and so do paths that are not in the document: the console's files.
 */
export const startPrism = async (
  host: TestHost,
  document: unknown,
): Promise<{url: string; told: () => PrismReport}> => {
  const {origin, pathname} = new URL(host.url)
  const base = pathname.replace(/\/$/, "")
  const port = await runPrism(document, origin)
  const isDirect = (path: string) => path.startsWith(`${base}/console`) || path === `${base}/api/events`
  const counts = {requests: 0, direct: 0}
  const violations: string[] = []
  const server = createServer((asked, answer) => {
    const path = (asked.url ?? "").split("?")[0] ?? ""
    if (isDirect(path)) {
      counts.direct++
      forward(asked, answer, origin)
    } else {
      counts.requests++
      forward(asked, answer, `http://127.0.0.1:${port}`, body => {
        const said = violationOf(body)
        if (said === "away") answer.destroy()
        else if (said !== undefined) violations.push(`${asked.method} ${asked.url}: ${said}`)
      })
    }
  })
  const own = await listen(server)
  return {url: `http://127.0.0.1:${own}${base}`, told: () => ({...counts, violations: [...violations]})}
}

const runPrism = async (document: unknown, upstream: string): Promise<number> => {
  const folder = makeFolder()
  const file = join(folder, "openapi.json")
  writeFileSync(file, JSON.stringify(document))
  const port = await freePort()
  const program = join(prism.folder, "node_modules/@stoplight/prism-cli/dist/index.js")
  const args = ["proxy", file, upstream, "--errors", "--port", String(port), "--verboseLevel", "warn"]
  const running = startProcess([process.execPath, program, ...args])
  await until("Prism to listen", () => isOk(`http://127.0.0.1:${port}/pub/health`), 120_000).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  return port
}

/** Passes a request on unchanged; `look` reads the whole response before it is passed back. */
const forward = (asked: IncomingMessage, answer: ServerResponse, to: string, look?: (body: string) => void): void => {
  const passed = request(`${to}${asked.url}`, {method: asked.method, headers: asked.headers}, given => {
    if (look === undefined) {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      pipeline(given, answer, () => {})
      return
    }
    const chunks: Buffer[] = []
    given.on("data", chunk => chunks.push(chunk))
    given.on("error", () => answer.destroy())
    given.on("end", () => {
      const body = Buffer.concat(chunks)
      look(body.toString())
      if (answer.destroyed) return
      answer.writeHead(given.statusCode ?? 502, given.headers)
      answer.end(body)
    })
  })
  passed.on("error", () => answer.destroy())
  answer.on("close", () => passed.destroy())
  asked.pipe(passed)
}

const kinds = "https://stoplight.io/prism/errors#"

/** Prism's own message in place of the Host's response; "away" if there is no Host. */
const violationOf = (body: string): string | undefined => {
  if (!body.includes(kinds)) return undefined
  const {type, title, validation, detail} = JSON.parse(body)
  if (!String(type).startsWith(kinds)) return undefined
  if (/ECONNREFUSED|ECONNRESET|socket hang up/.test(String(detail))) return "away"
  return `${title} ${validation === undefined ? detail : JSON.stringify(validation)}`
}
