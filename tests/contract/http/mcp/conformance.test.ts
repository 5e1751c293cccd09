import {describe, expect, test} from "vitest"
import {bunAnd, fullAndDemo, shared, startHost} from "../../../support/host/host.ts"
import {mcpConfig, mcpPlugins} from "../../../support/http/mcp.ts"
import {importMcpTool, mcpTools, runSuite} from "../../../support/http/mcp-suite.ts"

const noStream = "/mcp answers with JSON and has no stream to the client"
const noSession = "/mcp has no sessions"
const oneContent = "the route of a plugin answers with one content"
const ownResources = "svc has its own resources, and plugins add none"
const noPrompts = "svc has no prompts"

/** Why a scenario does not apply. */
const notApplicable: Readonly<Record<string, string>> = {
  "elicitation-sep1034-defaults": noStream,
  "elicitation-sep1330-enums": noStream,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-with-image": noPrompts,
  "resources-read-binary": ownResources,
  "resources-read-text": ownResources,
  "resources-subscribe": noStream,
  "resources-templates-read": ownResources,
  "resources-unsubscribe": noStream,
  "server-sse-multiple-streams": noSession,
  "server-sse-polling": noStream,
  "tools-call-elicitation": noStream,
  "tools-call-embedded-resource": oneContent,
  "tools-call-mixed-content": oneContent,
  "tools-call-sampling": noStream,
  "tools-call-with-logging": noStream,
  "tools-call-with-progress": noStream,
}

interface Sdk {
  readonly Client: new (info: object) => SdkClient
}

interface SdkClient {
  connect(transport: unknown): Promise<void>
  callTool(call: object): Promise<{readonly structuredContent?: unknown}>
  listTools(): Promise<{readonly tools: readonly unknown[]}>
  readResource(of: object): Promise<{readonly contents: readonly {readonly text: string}[]}>
  close(): Promise<void>
}

interface Transports {
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown
}

interface AiSdk {
  createMCPClient(options: object): Promise<{
    tools(): Promise<Readonly<Record<string, {execute(args: object, options: object): Promise<unknown>}>>>
    close(): Promise<void>
  }>
}

describe.skipIf(!mcpTools.install()).each(bunAnd("node22"))("/mcp on $name", runtime => {
  const host = shared(() => startHost({runtime, config: mcpConfig, env: fullAndDemo.env, plugins: mcpPlugins}))
  const headers = {authorization: `Bearer ${fullAndDemo.env.HTTP_TOKEN}`}

  test("passes every scenario of the official suite that applies", async () => {
    const scenarios = [...(await runSuite(host()))].map(([name, failure]) => {
      const verdict = failure === "" ? "pass" : name in notApplicable ? "not applicable" : "fail"
      return {name, verdict, why: verdict === "fail" ? failure : verdict === "pass" ? "" : notApplicable[name]}
    })
    for (const {name, verdict, why} of scenarios)
      process.stdout.write(`${runtime.name}: ${name.padEnd(30)} ${verdict} ${why}\n`)
    expect(scenarios.filter(({verdict}) => verdict === "fail")).toEqual([])
    expect(scenarios.filter(({verdict}) => verdict !== "pass").map(({name}) => name)).toEqual(
      Object.keys(notApplicable),
    )
    expect(scenarios.filter(({verdict}) => verdict === "pass")).toHaveLength(13)
  })

  test("serves the client of the official SDK", async () => {
    const {Client} = (await importMcpTool("@modelcontextprotocol/sdk/client/index.js")) as Sdk
    const {StreamableHTTPClientTransport} = (await importMcpTool(
      "@modelcontextprotocol/sdk/client/streamableHttp.js",
    )) as Transports
    const client = new Client({name: "test", version: "1"})
    await client.connect(new StreamableHTTPClientTransport(new URL(`${host().url}/mcp`), {requestInit: {headers}}))
    expect((await client.listTools()).tools.length).toBeGreaterThan(25)
    const {structuredContent} = await client.callTool({name: "work_add", arguments: {title: "by the SDK"}})
    expect(structuredContent).toMatchObject({title: "by the SDK", state: "open"})
    expect((await client.readResource({uri: "svc://docs/backup.md"})).contents[0]?.text).toMatch(/^# Backup/)
    await client.close()
  })

  test("serves the client of @ai-sdk/mcp", async () => {
    const {createMCPClient} = (await importMcpTool("@ai-sdk/mcp")) as AiSdk
    const client = await createMCPClient({transport: {type: "http", url: `${host().url}/mcp`, headers}})
    const {job_list: list} = await client.tools()
    expect(await list?.execute({}, {toolCallId: "1", messages: []})).toMatchObject({structuredContent: {items: []}})
    await client.close()
  })
})
