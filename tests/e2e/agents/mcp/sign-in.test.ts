import {readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {runAsked, runOf} from "../../../support/agents/host.ts"
import {type Lie, type OAuthServer, startOAuthServer} from "../../../support/agents/oauth-server.ts"
import {helperAt, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {
  bunAnd,
  makeCheckpoint,
  printedJson,
  restore,
  startHost,
  type TestHost,
  until,
} from "../../../support/host/host.ts"
import {startProcess} from "../../../support/host/process.ts"
import {nodeOf, onBun, type TestRuntime} from "../../../support/host/runtimes.ts"

const env = {SVC_STATE_KEY: "k".repeat(40)}

const bindingAt = (name: string, model: string, url: string, direct: boolean) =>
  `${helperAt(model).replace("helper", name)}    mcp:
      - {name: calc, url: "${url}", oauth: {stateKey: "\${SVC_STATE_KEY}"}, allow: ["*"], effect: none}
    limits: {user: none}
    triggers: {direct: ${direct}}
`

const configOf = (model: string, url: string) => `http: {port: 0}
permissions: [{endpoint: sandbox, user: ada, permission: trusted}]
plugins: {sandbox: {}}
alerts: {every: 1s, grace: 0s, settle: 1s, targets: {ops: {endpoint: sandbox, channel: ops}}}
agents:
${bindingAt("helper", model, url, true)}${bindingAt("other", model, url, false)}`

interface World {
  readonly oauth: OAuthServer
  readonly host: TestHost
  readonly ask: () => Promise<{readonly state: string | undefined; readonly output: unknown}>
}

const askIn = (host: TestHost) => {
  const begun = performance.now()
  let asked = 0
  return async () => {
    const input = `add ${begun} ${++asked}`
    await host.plugin("/api/plugins/sandbox/messages", {text: input, user: "ada", channel: `@${asked}`})
    const {runId} = await runAsked(host, input)
    const step = (await runOf(host, runId)).trail.find(({kind}) => kind === "tool")
    return {state: step?.state, output: step?.output}
  }
}

const startWorld = async (runtime: TestRuntime): Promise<World> => {
  const oauth = await startOAuthServer()
  const model = await startScriptedModel(({last, tools}) => {
    if (last.role === "tool" || !tools.includes("calc.add")) return {text: last.text}
    return {calls: [{name: "calc.add", args: {}}]}
  })
  const host = await startHost({own: true, runtime, config: configOf(model.url, oauth.url), env})
  return {oauth, host, ask: askIn(host)}
}

const mcpOf = async (host: TestHost) => (await host.get("/api/agents/:name", {name: "helper"})).mcp[0]
const at = {name: "helper", server: "calc"}

/** Begins a sign-in, and resolves to what the browser would bring back. */
const visit = async (host: TestHost, oauth: OAuthServer, name = "helper") => {
  const body = {redirect: "http://127.0.0.1:9/callback"}
  const {url} = await host.post("/api/agents/:name/mcp/:server/sign-in", {...at, name, body})
  const {searchParams} = new URL(await oauth.visit(url))
  const partOf = (part: string) => searchParams.get(part) ?? ""
  return {state: partOf("state"), code: partOf("code"), iss: partOf("iss")}
}

const finish = (host: TestHost, body: {state: string; code: string; iss?: string}, name = "helper") =>
  host.post("/api/agents/:name/mcp/:server/answer", {...at, name, body})

const signIn = async (host: TestHost, oauth: OAuthServer) => finish(host, await visit(host, oauth))

/** All text that the Host keeps and shows, apart from the encrypted file. */
const shownBy = async (host: TestHost): Promise<string> => {
  const {folder} = host.project
  const files = readdirSync(`${folder}/.svc`, {recursive: true, withFileTypes: true})
    .filter(each => each.isFile())
    .map(({parentPath, name}) => `${parentPath}/${name}`.slice(folder.length + 1))
  const runs = await host.get("/api/runs", {kind: "agent", limit: 100})
  const shown = await Promise.all([
    ...runs.items.flatMap(({runId: id}) => [host.get("/api/runs/:id", {id}), host.get("/api/runs/:id/context", {id})]),
    host.get("/api/agents"),
  ])
  return [JSON.stringify(shown), host.process.output(), ...files.map(file => host.project.read(file))].join("\n")
}

describe.each(bunAnd("node24"))("an MCP server with OAuth, on $name", runtime => {
  test("a person signs in once, tokens are renewed once and shown nowhere, and a restored Host asks again", async () => {
    const {host, oauth, ask} = await startWorld(runtime)
    expect(
      await until("it to be asked for", async () => {
        const found = await mcpOf(host)
        return found?.state !== "idle" && found
      }),
    ).toMatchObject({state: "needs_sign_in", tools: []})
    expect((await ask()).state).toBe(undefined)

    // The command opens an address of this machine, and the browser comes back to it.
    const words = ["agent", "mcp", "helper", "calc", "--sign-in", "--json"]
    const command = startProcess([...runtime.command, ...words], {cwd: host.project.folder})
    const address = await until("the address", () => /^http\S+authorize\S+/m.exec(command.output())?.[0])
    expect((await fetch(await oauth.visit(address))).status).toBe(200)
    const {code, stdout} = await command.finished
    expect({code, ...JSON.parse(stdout)}).toEqual({code: 0, state: "idle"})
    expect(await ask()).toEqual({state: "done", output: "the token is [secret]"})
    expect(await mcpOf(host)).toMatchObject({state: "online", error: null})
    const query = new URL(address).searchParams
    expect([query.get("resource"), query.get("scope"), query.get("code_challenge_method")]).toEqual([
      oauth.url,
      "sums",
      "S256",
    ])

    // Calls side by side share one renewal; a new Host continues with what it stored.
    oauth.access.clear()
    const results = await Promise.all([ask(), ask(), ask(), ask()])
    expect(results.map(({state}) => state)).toEqual(["done", "done", "done", "done"])
    expect(oauth.exchanges.map(form => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"])
    const all = [...oauth.access, ...oauth.refresh, ...oauth.exchanges.map(form => form.get("code") ?? "-----")]
    const checkpoint = await makeCheckpoint(host.project, runtime)
    const shown = await shownBy(host)
    expect(all.filter(secret => shown.includes(secret))).toEqual([])
    await host.stop("SIGKILL")
    const again = await startHost({own: true, runtime, project: host.project, env})
    oauth.access.clear()
    expect((await askIn(again)()).state).toBe("done")
    expect(oauth.exchanges).toHaveLength(3)

    expect((await again.stop()).code).toBe(0)
    await restore(host.project, checkpoint.id, runtime)
    const restored = await startHost({own: true, runtime, project: host.project, env})
    await until("the sign-in to be asked for", async () => (await mcpOf(restored))?.state === "needs_sign_in")
    const alerts = async () => (await restored.get("/api/alerts")).items.map(({code}) => code)
    await until("the alert", async () => (await alerts()).includes("mcp_sign_in"))
    expect(await signIn(restored, oauth)).toEqual({state: "idle"})
    expect((await restored.stop()).code).toBe(0)
  })
})

describe("a sign-in", () => {
  test("ends when the server refuses to renew it, and survives a server that is away", async () => {
    const {host, oauth, ask} = await startWorld(nodeOf("node22"))
    await signIn(host, oauth)
    expect((await ask()).state).toBe("done")
    oauth.access.clear()
    oauth.lie = "broken token"
    expect((await ask()).state).not.toBe("done")
    expect((await mcpOf(host))?.state).not.toBe("needs_sign_in")
    oauth.lie = undefined
    await until("the renewal", async () => (await ask()).state === "done")
    oauth.access.clear()
    oauth.refresh.clear()
    expect((await ask()).state).not.toBe("done")
    expect(await mcpOf(host)).toMatchObject({state: "needs_sign_in"})
    await signIn(host, oauth)
    expect((await ask()).state).toBe("done")
  })

  test("cannot be read with another key, and does not survive a kill before it is stored", async () => {
    const {host, oauth} = await startWorld(nodeOf("node24"))
    await signIn(host, oauth)
    await host.stop("SIGKILL")
    const options = {own: true, runtime: onBun, project: host.project}
    const other = await startHost({...options, env: {SVC_STATE_KEY: "another ".repeat(5)}})
    await until("the sign-in to be asked for", async () => (await mcpOf(other))?.state === "needs_sign_in")
    const given = await visit(other, oauth)
    oauth.delay = 60_000
    const before = oauth.exchanges.length
    void finish(other, given).catch(() => {})
    await until("the code to be used up", () => oauth.exchanges.length > before)
    await other.stop("SIGKILL")
    oauth.delay = 0
    const again = await startHost({...options, env: {SVC_STATE_KEY: "another ".repeat(5)}})
    await until("the sign-in to be asked for", async () => (await mcpOf(again))?.state === "needs_sign_in")
    await expect(finish(again, given)).rejects.toThrow("mcp_sign_in")
    expect(await signIn(again, oauth)).toEqual({state: "idle"})
  })

  test("accepts each answer once, from its own person and server", async () => {
    const {host, oauth} = await startWorld(nodeOf("node24"))
    const given = await visit(host, oauth)
    const others = await visit(host, oauth, "other")
    const refused: Parameters<typeof finish>[1][] = [
      {...given, state: "x".repeat(given.state.length)},
      {...given, state: others.state},
      others,
    ]
    for (const each of refused) await expect(finish(host, each)).rejects.toThrow("mcp_sign_in")
    await expect(finish(host, given, "other")).rejects.toThrow("mcp_sign_in")
    expect(oauth.exchanges).toHaveLength(0)
    expect(await finish(host, given)).toEqual({state: "idle"})
    await expect(finish(host, given)).rejects.toThrow("mcp_sign_in")
    // A code of another sign-in fails by its challenge, an answer of another server by its issuer.
    const fresh = await visit(host, oauth)
    await expect(finish(host, {...fresh, code: others.code})).rejects.toThrow("mcp_sign_in")
    await expect(finish(host, {...(await visit(host, oauth)), iss: "https://accounts.example"})).rejects.toThrow()
    expect(oauth.exchanges).toHaveLength(2)
    const unsigned = {...at, body: {redirect: "https://evil.example/callback"}}
    await expect(host.post("/api/agents/:name/mcp/:server/sign-in", unsigned)).rejects.toThrow("request_invalid")
  })

  test("fails clearly with an authorization server that lies or is silent", async () => {
    const {host, oauth} = await startWorld(nodeOf("node24"))
    for (const lie of ["issuer", "huge", "redirect", "unsafe", "hang"] satisfies Lie[]) {
      oauth.lie = lie
      await expect(visit(host, oauth), lie).rejects.toThrow("mcp_sign_in")
    }
    oauth.lie = undefined
    expect(await signIn(host, oauth)).toEqual({state: "idle"})
    expect(await printedJson(host.project, "agent mcp helper calc")).toHaveLength(1)
  })
})
