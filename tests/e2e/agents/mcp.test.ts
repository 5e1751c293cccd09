import {createServer} from "node:http"
import {json} from "node:stream/consumers"
import {fileURLToPath} from "node:url"
import {describe, expect, test} from "vitest"
import {runAsked, runOf} from "../../support/agents/host.ts"
import {helperAt, type ScriptedAnswer, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunAnd, printedJson, runCommand, startHost, type TestHost, until} from "../../support/host/host.ts"
import {nodeOf, type TestRuntime} from "../../support/host/runtimes.ts"
import {listen} from "../../support/machine/listen.ts"

const server = fileURLToPath(new URL("../../support/agents/mcp-server.mjs", import.meta.url))

/** The model calls the tool that the question names, and then says its result. */
const answer = ({last}: {readonly last: {readonly role: string; readonly text: string}}): ScriptedAnswer => {
  if (last.role === "tool") return {text: last.text}
  const [, name = ""] = /^(\S+)/.exec(last.text) ?? []
  return {calls: [{name, args: name.endsWith("add") ? {a: 2, b: 3} : {}}]}
}

interface World {
  readonly host: TestHost
  readonly model: Awaited<ReturnType<typeof startScriptedModel>>
  /** Asks for a call, and resolves to the state, the reason and the result of its step. */
  readonly ask: (
    text: string,
  ) => Promise<{readonly state: string; readonly reason: string | null; readonly output: unknown}>
}

const configOf = (model: string, mcp: string, more = "") => `http: {port: 0}
permissions: [{endpoint: sandbox, user: ada, permission: trusted}]
plugins: {sandbox: {}}
agents:
${helperAt(model)}    mcp:
${mcp}
    limits: {seconds: 4}
    triggers: {direct: true}
${more}`

const stdio = (node: string, allow = "[add, e*]") =>
  `      - {name: calc, command: ["${node}", "${server}", mode, calls.log, pids.log], env: {LISTED: "\${LISTED}"}, allow: ${allow}}`

const startWorld = async (runtime: TestRuntime, mcp: string): Promise<World> => {
  const model = await startScriptedModel(answer)
  const host = await startHost({
    own: true,
    runtime,
    config: configOf(model.url, mcp),
    env: {LISTED: "x".repeat(20)},
  })
  let asked = 0
  const ask = async (text: string) => {
    const input = `${text} ${++asked}`
    await host.plugin("/api/plugins/sandbox/messages", {text: input, user: "ada", channel: "ada"})
    const {runId} = await runAsked(host, input)
    const step = (await runOf(host, runId)).trail.find(({kind}) => kind === "tool")
    return {state: step?.state ?? "", reason: step?.reason ?? null, output: step?.output}
  }
  return {host, model, ask}
}

const mcpOf = async (host: TestHost) => (await host.get("/api/agents/:name", {name: "helper"})).mcp[0]
const pidsOf = (host: TestHost) => host.project.read("pids.log").trim().split("\n").map(Number)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.each(bunAnd("node24"))("an MCP server over stdio, on $name", runtime => {
  test("serves its allowed tools until it changes, misbehaves or its Host ends", async () => {
    const {host, model, ask} = await startWorld(runtime, stdio(process.execPath))
    expect(await mcpOf(host)).toMatchObject({state: "idle", tools: []})
    expect(await ask("calc.add")).toEqual({state: "done", reason: null, output: 5})
    expect(model.requests[0]?.tools).toEqual(["calc.add", "calc.env"])
    expect(await mcpOf(host)).toMatchObject({name: "calc", transport: "stdio", state: "online", error: null})
    expect(String((await ask("calc.env")).output).split(" ")).toContain("LISTED")
    expect(String((await ask("calc.env")).output)).not.toMatch(/PATH|HOME|SVC/)
    expect(await ask("calc.secret")).toMatchObject({state: "refused", reason: "tool_unknown"})

    // A failure that the tool reports reaches the model; what it may have done stays unknown.
    host.project.write("mode", "fails")
    expect(await ask("calc.add")).toMatchObject({state: "failed", reason: "tool_failed"})
    for (const mode of ["dies", "hangs", "huge", "garbage"]) {
      host.project.write("mode", mode)
      const step = await until(`${mode} to be tried`, async () => {
        const tried = await ask("calc.add")
        return tried.reason !== "tool_failed" && tried
      })
      expect({mode, ...step}).toMatchObject({mode, state: "unknown", reason: "tool_unknown_outcome"})
    }

    host.project.write("mode", "changed")
    await until("the change to be seen", async () => {
      await ask("calc.env")
      return (await mcpOf(host))?.tools.some(({state}) => state === "waiting")
    })
    expect((await mcpOf(host))?.tools.map(({name, state}) => `${name} ${state}`)).toEqual([
      "add waiting",
      "env accepted",
      "extra waiting",
    ])
    expect(await ask("calc.add")).toMatchObject({state: "refused", reason: "tool_unknown"})
    const accept = (tool?: string) =>
      host.post("/api/agents/:name/mcp/:server/accept", {
        name: "helper",
        server: "calc",
        body: tool === undefined ? {} : {tool},
      })
    expect(await accept("add")).toEqual({tools: 1})
    expect(await ask("calc.add")).toEqual({state: "done", reason: null, output: 5})
    await expect(accept("add")).rejects.toThrow("mcp_unknown")
    expect(await accept()).toEqual({tools: 1})

    await host.stop("SIGKILL")
    await until("the server to end with its Host", () => pidsOf(host).every(pid => !isAlive(pid)))
    const again = await startHost({own: true, runtime, project: host.project, env: {LISTED: "x".repeat(20)}})
    expect((await mcpOf(again))?.tools.map(({state}) => state)).toEqual(["accepted", "accepted", "accepted"])
    expect((await again.stop()).code).toBe(0)
  })

  test("leaves no process behind in reloads", async () => {
    const {host, ask} = await startWorld(runtime, stdio(process.execPath))
    for (let round = 0; round < 3; round++) {
      expect(await ask("calc.add")).toMatchObject({state: "done"})
      host.project.write(
        "svc.config.yml",
        host.project.read("svc.config.yml").replace(/allow: \[add/, "allow: [add, add"),
      )
      await host.post("/api/system/reload", {body: {}})
      await until("the replaced server to end", () => pidsOf(host).every(pid => !isAlive(pid)))
    }
    expect(await ask("calc.add")).toMatchObject({state: "done"})
    expect((await host.stop()).code).toBe(0)
    await until("the server to end", () => pidsOf(host).every(pid => !isAlive(pid)))
    expect(new Set(pidsOf(host)).size).toBe(4)
  })
})

test("an MCP server over HTTP gets its key, and one that is away costs the agent its tools only", async () => {
  const seen: (string | undefined)[] = []
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: {tools: {}},
      serverInfo: {name: "stand-in", version: "1"},
    },
    "tools/list": {tools: [{name: "add", description: "Adds", inputSchema: {type: "object"}}]},
    "tools/call": {content: [{type: "text", text: "42"}]},
  }
  const port = await listen(
    createServer(async (request, response) => {
      seen.push(request.headers.authorization)
      if (request.method !== "POST") return void response.writeHead(405).end()
      const {id, method} = (await json(request)) as {readonly id?: number; readonly method: string}
      if (id === undefined) return void response.writeHead(202).end()
      response.writeHead(200, {"content-type": "application/json"})
      const result = results[method]
      const found = result === undefined ? {error: {code: -32601, message: "unknown"}} : {result}
      response.end(JSON.stringify({jsonrpc: "2.0", id, ...found}))
    }),
  )
  const mcp = `      - {name: calc, url: "http://127.0.0.1:${port}/mcp", key: "\${LISTED}", allow: ["*"], effect: none}
      - {name: gone, url: "http://127.0.0.1:1/mcp", allow: ["*"]}`
  const {host, model, ask} = await startWorld(nodeOf("node22"), mcp)
  expect(await ask("calc.add")).toEqual({state: "done", reason: null, output: 42})
  expect(model.requests[0]?.tools).toEqual(["calc.add"])
  expect(new Set(seen)).toEqual(new Set([`Bearer ${"x".repeat(20)}`]))
  const {mcp: servers} = await host.get("/api/agents/:name", {name: "helper"})
  expect(servers.map(({name, state}) => `${name} ${state}`)).toEqual(["calc online", "gone failed"])
  const listed = await printedJson(host.project, "agent mcp helper")
  expect(listed).toMatchObject([
    {agent: "helper", name: "calc"},
    {agent: "helper", name: "gone"},
  ])
  expect((await runCommand(host.project, "agent mcp helper --accept calc.add")).code).toBe(1)
})
