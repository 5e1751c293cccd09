import {fullAndDemo, type TestHost} from "../host/host.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"

/** The configuration of a Host that serves MCP, with both tokens and the plugins of the conformance suite. */
export const mcpConfig = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}", mcp: [mcp.example]}
plugins: {sandbox: {}, test: {}, json: {}}
`

/** One transparent pixel, and one sample of silence. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

const post = (path: string, answer: string, more = "") =>
  `plugin.route({method: "POST", path: "/${path}", scope: "full", summary: "For the test", ${more} handle: async (_, call) => ${answer}})\n`

const bytes = (base64: string, type: string) =>
  `new Response(Buffer.from("${base64}", "base64"), {headers: {"content-type": "${type}"}})`

/** Their routes have the names of the tools that `@modelcontextprotocol/conformance` calls. */
export const mcpPlugins = {
  test: pluginWith(
    post("simple_text", `new Response("This is a simple text response for testing.")`) +
      post("image_content", bytes(png, "image/png")) +
      post("audio_content", bytes(wav, "audio/wav")) +
      post("error_handling", `{ throw new Error("a secret of the handler") }`) +
      post("broken", `new Response(new ReadableStream({pull: () => { throw new Error("a secret of the stream") }}))`) +
      post("slow", `{ note("slow"); await sleep(2000); return new Response("done") }`) +
      post("long", `Response.json({text: "x".repeat(300_000)})`) +
      `const items = Array.from({length: 100}, (_, index) => ({index, text: "x".repeat(10_000)}))
    plugin.route({method: "GET", path: "/items/:of", scope: "demo", summary: "A long list",
      query: Type.Object({limit: Type.Optional(Type.Integer({default: 50}))}),
      handle: async (_, call) => Response.json({of: call.params.of, items: items.slice(0, call.query.limit)})})`,
  ),
  json: pluginWith(
    post(
      "schema_2020_12_tool",
      `Response.json(call.body)`,
      `body: Type.Unsafe({$schema: "https://json-schema.org/draft/2020-12/schema", type: "object", $defs: {address: {type: "object",
        properties: {street: {type: "string"}, city: {type: "string"}}}}, properties: {name: {type: "string"},
        address: {$ref: "#/$defs/address"}}, additionalProperties: false}),`,
    ),
  ),
}

type Json = Readonly<Record<string, unknown>>

/** A response of JSON-RPC, with the parts that tests read. */
export interface RpcResponse {
  readonly id: string | number | null
  readonly result: Json & {
    readonly tools: readonly {readonly name: string; readonly annotations: Json; readonly inputSchema: Json}[]
    readonly resources: readonly {readonly uri: string}[]
    readonly contents: readonly {readonly text: string}[]
    readonly content: readonly {readonly type: string; readonly text: string}[]
    readonly structuredContent: Json
    readonly isError?: true
  }
  readonly error: {readonly code: number}
}

interface Asking {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const postMcp = (host: TestHost, body: string, {token, headers}: Asking = {}): Promise<Response> =>
  fetch(`${host.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token ?? fullAndDemo.env.HTTP_TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  })

export const rpc = (method: string, params: Json = {}, id: unknown = 1): string =>
  JSON.stringify({jsonrpc: "2.0", id, method, params})

export const askMcp = async (host: TestHost, method: string, params: Json = {}, how: Asking = {}) =>
  (await (await postMcp(host, rpc(method, params), how)).json()) as RpcResponse

/** Calls a tool; returns its result, or the code of its problem. */
export const callTool = async (host: TestHost, name: string, args: Json = {}, how: Asking = {}) => {
  const {result} = await askMcp(host, "tools/call", {name, arguments: args}, how)
  return result.isError === true ? {code: result.structuredContent.code} : result.structuredContent
}
