import {describe, expect, test} from "vitest"
import {bunAnd, fullAndDemo, notesIn, shared, startHost, until} from "../../../support/host/host.ts"
import {askMcp, callTool, mcpConfig, mcpPlugins, postMcp, rpc} from "../../../support/http/mcp.ts"
import {raw} from "../../../support/http/raw.ts"

const {HTTP_TOKEN: full, DEMO_TOKEN: demo} = fullAndDemo.env
const asDemo = {token: demo}

const reading = [
  "approval_list",
  "inbox_list",
  "inbox_show",
  "job_list",
  "outbox_list",
  "outbox_show",
  "work_list",
  "work_show",
]

describe.each(bunAnd("node24"))("/mcp on $name", runtime => {
  const start = (config = mcpConfig) => startHost({runtime, config, env: fullAndDemo.env, plugins: mcpPlugins})
  const host = shared(start)

  test("agrees on a version of the protocol", async () => {
    for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"])
      expect((await askMcp(host(), "initialize", {protocolVersion: version})).result.protocolVersion).toBe(version)
    const other = await askMcp(host(), "initialize", {protocolVersion: "1999-01-01"})
    expect(other.result).toMatchObject({protocolVersion: "2025-11-25", serverInfo: {name: "svc"}})
  })

  test("lists the tools and resources of the token's scope", async () => {
    const {tools} = (await askMcp(host(), "tools/list")).result
    const shown = (await askMcp(host(), "tools/list", {}, asDemo)).result.tools
    expect(shown.map(({name}) => name).sort()).toEqual([...reading, "test_get_items_of"].sort())
    for (const {annotations} of shown) expect(annotations).toEqual({readOnlyHint: true, openWorldHint: false})
    const hints = Object.fromEntries(tools.map(({name, annotations}) => [name, annotations]))
    expect(hints.inbox_discard).toEqual({readOnlyHint: false, destructiveHint: true, idempotentHint: true})
    expect(hints.message_send).toEqual({readOnlyHint: false, destructiveHint: false})
    expect(tools.find(({name}) => name === "work_claim")?.inputSchema).toMatchObject({
      required: ["id", "expectedRevision"],
      properties: {id: {type: "string"}, assignee: {type: "string"}},
    })
    const uris = (await askMcp(host(), "resources/list", {}, asDemo)).result.resources.map(({uri}) => uri)
    expect(uris).toEqual(expect.arrayContaining(["svc://api/system/status", "svc://docs/backup.md"]))
    expect(uris).not.toContain("svc://api/system/readiness")
  })

  test("reads documentation, schema and readiness, and nothing else", async () => {
    const read = async (uri: string, how = {}) => await askMcp(host(), "resources/read", {uri}, how)
    expect((await read("svc://docs/backup.md")).result.contents[0]?.text).toMatch(/^# Backup/)
    const {text = ""} = (await read("svc://api/config/schema")).result.contents[0] ?? {}
    expect(JSON.parse(text).schema.properties.http.properties.mcp.type).toBe("array")
    const ready = (await read("svc://api/system/readiness")).result.contents[0]?.text ?? ""
    expect(JSON.parse(ready)).toMatchObject({ready: true, generation: 1})
    for (const uri of ["svc://docs/../.env", "svc://.env", "file:///etc/passwd", "svc://api/config"])
      expect((await read(uri)).error.code).toBe(-32002)
    expect((await read("svc://api/system/readiness", asDemo)).error.code).toBe(-32002)
  })

  test("acts through the API, with its checks and codes", async () => {
    const item = await callTool(host(), "work_add", {title: "from a client", request: "once"})
    expect(await callTool(host(), "work_add", {title: "from a client", request: "once"})).toMatchObject({id: item.id})
    const claim = {id: item.id, expectedRevision: item.revision, assignee: "user:ada"}
    expect(await callTool(host(), "work_claim", claim)).toMatchObject({state: "active", assignee: "user:ada"})
    expect(await callTool(host(), "work_claim", claim)).toEqual({code: "workroom_stale"})
    const sent = await callTool(host(), "message_send", {endpoint: "sandbox", channel: "hall", text: "hello"})
    await until(
      "the message to be sent",
      async () => (await callTool(host(), "outbox_show", {id: sent.id})).state === "sent",
    )
    expect(await callTool(host(), "outbox_retry", {id: sent.id})).toEqual({code: "outbox_state"})
    expect(await callTool(host(), "approval_approve", {id: "none"})).toEqual({code: "approval_unknown"})
    for (const args of [{limit: 0}, {state: "no"}, {states: "failed"}, {limit: {}}])
      expect(await callTool(host(), "inbox_list", args)).toEqual({code: "request_invalid"})
    expect(await callTool(host(), "inbox_show")).toEqual({code: "request_invalid"})
    expect(await callTool(host(), "inbox_show", {seq: "1/../../outbox"})).toEqual({code: "inbox_unknown"})
  })

  test("gives a demo token neither a change nor a private text", async () => {
    await host().say("canary-text", {user: "canary-user"})
    const seen = JSON.stringify(await callTool(host(), "inbox_list", {}, asDemo))
    expect(seen).toContain("sandbox")
    expect(seen).not.toContain("canary")
    expect(await callTool(host(), "inbox_list", {user: "canary-user"}, asDemo)).toEqual({code: "forbidden"})
    const before = await host().get("/api/workroom/items")
    expect(await callTool(host(), "work_add", {title: "no"}, asDemo)).toEqual({code: "forbidden"})
    expect(await host().get("/api/workroom/items")).toEqual(before)
  })

  test("masks the secrets of the configuration in results", async () => {
    const text = `the token is ${demo}`
    const {id} = await callTool(host(), "message_send", {endpoint: "sandbox", channel: "hall", text})
    const {result} = await askMcp(host(), "tools/call", {name: "outbox_show", arguments: {id}})
    expect(result.structuredContent.text).toMatch(/^the token is /)
    expect(JSON.stringify(result)).not.toContain(demo)
  })

  test("bounds a result and says what it left out", async () => {
    const list = (await askMcp(host(), "tools/call", {name: "test_get_items_of", arguments: {of: "a b"}})).result
    expect(list.structuredContent).toMatchObject({of: "a b", items: Array.from({length: 6}, (_, index) => ({index}))})
    expect(list.content.at(-1)?.text).toContain("6 items")
    const long = (await askMcp(host(), "tools/call", {name: "test_long"})).result
    expect(long.content.map(({text}) => text.length)).toEqual([100_000, expect.any(Number)])
    expect(long.content[1]?.text).toContain("100000 of 300011")
    expect(long.structuredContent).toBeUndefined()
  })

  test("hides the error of a plugin's handler", async () => {
    const {result} = await askMcp(host(), "tools/call", {name: "test_error_handling"})
    expect(result).toMatchObject({isError: true, structuredContent: {code: "internal"}})
    expect(JSON.stringify(result)).not.toContain("secret")
    const broken = await postMcp(host(), rpc("tools/call", {name: "test_broken"}))
    expect({status: broken.status, text: await broken.text()}).toEqual({
      status: 500,
      text: expect.not.stringContaining("secret"),
    })
  })

  test("answers each kind of message, and refuses what is none", async () => {
    const ask = async (body: string, headers = {}) => {
      const response = await postMcp(host(), body, {headers})
      const text = await response.text()
      return [response.status, text === "" ? undefined : JSON.parse(text)]
    }
    const failing = (code: number, id: number | null = 1) =>
      expect.objectContaining({id, error: expect.objectContaining({code})})
    const ping = rpc("ping")
    expect(await ask(ping)).toEqual([200, {jsonrpc: "2.0", id: 1, result: {}}])
    expect(await ask(rpc("nothing"))).toEqual([200, failing(-32601)])
    expect(await ask(rpc("constructor"))).toEqual([200, failing(-32601)])
    expect(await ask(rpc("tools/call", {name: "nothing"}))).toEqual([200, failing(-32602)])
    expect(await ask(rpc("logging/setLevel", {level: "loud"}))).toEqual([200, failing(-32602)])
    expect(await ask('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toEqual([202, undefined])
    expect(await ask('{"jsonrpc":"2.0","id":7,"result":{}}')).toEqual([202, undefined])
    expect(await ask(`[${ping},{"jsonrpc":"2.0","method":"x"},${rpc("nothing", {}, 2)}]`)).toEqual([
      200,
      [expect.objectContaining({id: 1, result: {}}), failing(-32601, 2)],
    ])
    for (const body of [
      "{}",
      "[]",
      "null",
      "7",
      rpc("ping", {}, null),
      rpc("ping", {}, {}),
      `[${Array(21).fill(ping)}]`,
    ])
      expect(await ask(body)).toEqual([400, failing(-32600, null)])
    expect(await ask(ping, {"mcp-protocol-version": "1999-01-01"})).toEqual([400, failing(-32600, null)])
    const problem = (code: string) => expect.objectContaining({code})
    expect(await ask("{bad")).toEqual([400, problem("request_invalid")])
    expect(await ask("[".repeat(1000))).toEqual([400, problem("request_invalid")])
    expect(await ask(ping, {"content-type": "text/plain"})).toEqual([415, problem("unsupported_media_type")])
    expect(await ask(`"${"x".repeat(10_000_000)}"`)).toEqual([413, problem("body_too_large")])
  })

  test("admits tokens, methods, hosts and origins as the API", async () => {
    for (const token of ["", "wrong-token"]) {
      const refused = await postMcp(host(), rpc("ping"), {token})
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    }
    for (const method of ["GET", "DELETE", "PUT"]) {
      const refused = await host().fetch("/mcp", {method})
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"])
    }
    const ask = async (name: string, origin = "") => {
      const lines = [
        "POST /mcp HTTP/1.1",
        `Host: ${name}`,
        `Authorization: Bearer ${full}`,
        "Content-Type: application/json",
      ]
      if (origin !== "") lines.push(`Origin: ${origin}`)
      const body = rpc("ping")
      const text = [...lines, `Content-Length: ${body.length}`, "Connection: close", "", body].join("\r\n")
      return Number((await raw(host(), text)).split(" ")[1])
    }
    const port = new URL(host().url).port
    for (const name of ["localhost", `localhost:${port}`, "127.0.0.1", "[::1]:80", "mcp.example", "MCP.example:443"])
      expect([name, await ask(name)]).toEqual([name, 200])
    for (const name of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "amcp.example", "10.0.0.7"])
      expect([name, await ask(name)]).toEqual([name, 403])
    expect(await ask("localhost:80", "http://localhost:80")).toBe(200)
    for (const origin of ["https://mcp.example", "http://mcp.example"])
      expect(await ask("mcp.example", origin)).toBe(200)
    for (const origin of ["null", "https://evil.example", "https://mcp.example.evil", "https://mcp.example:1"])
      expect([origin, await ask("mcp.example", origin)]).toEqual([origin, 403])
  })

  test("is off by default, and a reload turns it on and off", async () => {
    const other = await start(mcpConfig.replace("[mcp.example]", "[]").replace("port: 0", "port: 0, base: /bot"))
    expect((await postMcp(other, rpc("ping"))).status).toBe(404)
    const changed = other.project.read("svc.config.yml")
    other.project.write("svc.config.yml", changed.replace("mcp: []", "mcp: [a]"))
    await until("MCP to be on", async () => (await postMcp(other, rpc("ping"))).status === 200)
    expect(await callTool(other, "work_add", {title: "below a base"})).toMatchObject({state: "open"})
    other.project.write("svc.config.yml", changed)
    await until("MCP to be off", async () => (await postMcp(other, rpc("ping"))).status === 404)
  })

  test("refuses a send while ingress is paused, and answers a call before the Host stops", async () => {
    const other = await start()
    await other.post("/api/ingress/pause", {body: {}})
    const send = {endpoint: "sandbox", channel: "hall", text: "hello"}
    expect(await callTool(other, "message_send", send)).toEqual({code: "ingress_paused"})
    expect(await callTool(other, "outbox_list")).toMatchObject({items: []})
    const slow = askMcp(other, "tools/call", {name: "test_slow"})
    await until("the call to run", () => notesIn(other.project).includes("slow"))
    const stopped = other.stop()
    expect((await slow).result.content).toEqual([{type: "text", text: "done"}])
    await stopped
  })
})
