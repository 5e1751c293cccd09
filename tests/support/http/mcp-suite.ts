import {spawn} from "node:child_process"
import {once} from "node:events"
import {mkdtempSync, readdirSync, readFileSync, rmSync} from "node:fs"
import {createServer, request} from "node:http"
import {createRequire} from "node:module"
import {tmpdir} from "node:os"
import {join} from "node:path"
import type {TestHost} from "../host/host.ts"
import {root} from "../host/runtimes.ts"
import {listen} from "../machine/listen.ts"
import {npmTool} from "../machine/npm-tool.ts"

/** The official suite, the client of the official SDK, and another client. They have 128 packages. */
export const mcpTools = npmTool("mcp-1", [
  "@modelcontextprotocol/conformance@0.1.16",
  "@modelcontextprotocol/sdk@1.32.2",
  "@ai-sdk/mcp@2.0.99",
])

/** Imports a module of these packages. */
export const importMcpTool = (name: string): Promise<unknown> =>
  import(createRequire(join(mcpTools.folder, "package.json")).resolve(name))

/** Starts a proxy that puts the token into each request, because the suite sends none. Resolves to its port. */
const startFront = (host: TestHost): Promise<number> =>
  listen(
    createServer((asked, answer) => {
      const headers = {...asked.headers, authorization: `Bearer ${host.token}`}
      const forwarded = request(`${host.url}${asked.url}`, {method: asked.method, headers}, response => {
        answer.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(answer)
      })
      forwarded.on("error", () => answer.destroy())
      asked.pipe(forwarded)
    }),
  )

interface Check {
  readonly status: string
  readonly errorMessage?: string
}

/** Runs every server scenario against a Host. Resolves to the scenarios, each with the reason of its failure or "". */
export const runSuite = async (host: TestHost): Promise<ReadonlyMap<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-mcp-"))
  try {
    const suite = join(mcpTools.folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    const url = `http://localhost:${await startFront(host)}/mcp`
    const child = spawn(
      join(root, "node_modules/node24/bin/node"),
      [suite, "server", "--url", url, "--suite", "all", "-o", folder],
      {stdio: "ignore", timeout: 120_000},
    )
    await once(child, "close")
    return new Map(
      readdirSync(folder)
        .sort()
        .map(name => [name.replace(/^server-|-\d{4}-\d\d-\d\dT.*/g, ""), failureIn(join(folder, name))]),
    )
  } finally {
    rmSync(folder, {recursive: true, force: true})
  }
}

const failureIn = (folder: string): string => {
  const checks = JSON.parse(readFileSync(join(folder, "checks.json"), "utf8")) as readonly Check[]
  const failed = checks.find(({status}) => status === "FAILURE" || status === "WARNING")
  if (failed !== undefined) return failed.errorMessage ?? failed.status
  return checks.some(({status}) => status === "SUCCESS") ? "" : "nothing was checked"
}
