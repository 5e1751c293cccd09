import {execFileSync} from "node:child_process"
import {randomBytes} from "node:crypto"
import {chmodSync, existsSync, statSync} from "node:fs"
import {createServer} from "node:net"
import {applyPatch} from "diff"
import {describe, expect, test} from "vitest"
import type {ConfigApplied, ConfigChange} from "../../../shared/api/configuration/file.ts"
import {posting} from "../../support/host/client.ts"
import {generationOf, generationsOf, statusOf} from "../../support/host/generation.ts"
import {makeGitProject} from "../../support/host/git-project.ts"
import {expectProblem, freePort, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, casesOf, usualRuntime} from "../../support/host/runtimes.ts"
import {mountReadOnly, needMounts} from "../../support/machine/disk.ts"
import {listen} from "../../support/machine/listen.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const env = {
  HTTP_TOKEN: "full-token-of-the-test",
  DEMO_TOKEN: "demo-token-of-the-test",
  SVC_TEST_KEY: "key-of-the-test",
  SVC_WEBHOOK_KEY: Buffer.alloc(32, 7).toString("base64"),
}

const config = `# The bot of the tests
http:
  port: 0
  token: \${HTTP_TOKEN}
  demoToken: \${DEMO_TOKEN}
plugins:
  sandbox: {}
  # It greets.
  greeter:
    config:
      greeting: hello # what it says
      key: \${SVC_TEST_KEY}
`

const greeter = pluginWith(
  `
    if (config.greeting === "boom") throw new Error("it cannot greet like that")
    plugin.command("greet", () => config.greeting)`,
  `config: Type.Object({greeting: Type.String({minLength: 2}), key: Type.Secret(), times: Type.Optional(Type.Integer({default: 1}))})`,
)

/** A plugin with a slow migration. The commit waits for it after the file is written. */
const slow = `import {definePlugin} from "svc-runtime"
export default definePlugin({setup({database, command}) {
  const all = database.table("all")
  database.migrate([{name: "first", up: table => [
    "CREATE TABLE " + table("all") + " (n INTEGER)",
    "INSERT INTO " + table("all") + " WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000000) SELECT n FROM c",
  ]}])
  command("count", async () => String((await database.read("SELECT max(n) AS n FROM " + all))[0].n))
}})`

const fileOf = (host: TestHost) => host.get("/api/config/file")

const previewOf = async (host: TestHost, change: {text?: string; changes?: ConfigChange[]; draft?: boolean}) =>
  host.post("/api/config/preview", {body: {hash: (await fileOf(host)).hash, ...change}})

const postConfig = (host: TestHost, body: object) => host.fetch("/api/config", posting(body))

const change = async (host: TestHost, ...changes: ConfigChange[]): Promise<ConfigApplied> => {
  const {hash} = await fileOf(host)
  const {text} = await host.post("/api/config/preview", {body: {hash, changes}})
  return host.post("/api/config", {body: {hash, text}})
}

const set = (key: string, value: unknown): ConfigChange => ({change: "set", plugin: "greeter", path: [key], value})

const runtimes = bunOr("node24")

describe.each(runtimes)("editing the configuration over the API on $name", runtime => {
  const common = shared(() => startHost({runtime, config, env, plugins: {greeter, slow}}))

  test("previews a change, applies it with its comments, and runs it as one generation", async () => {
    const host = common()
    const before = await statusOf(host)
    const preview = await previewOf(host, {changes: [set("greeting", "good day")], draft: true})
    expect(preview).toMatchObject({issues: [], restart: []})
    expect(preview.diff).toContain("-      greeting: hello # what it says\n+      greeting: good day # what it says\n")
    expect(host.project.read("svc.config.yml")).toBe(config)
    chmodSync(host.project.path("svc.config.yml"), 0o640)
    const applied = await change(host, set("greeting", "good day"))
    expect(applied).toMatchObject({written: true, committed: true, generation: before.generation.number + 1})
    expect(host.project.read("svc.config.yml")).toBe(config.replace("greeting: hello", "greeting: good day"))
    expect(statSync(host.project.path("svc.config.yml")).mode & 0o777).toBe(0o640)
    expect(await host.say("/greet")).toEqual(["good day"])
    // The watch reports the file too. Its reload is queued behind this change.
    const again = await change(host, set("greeting", "good day again"))
    expect((await generationsOf(host)).map(({number, reason}) => ({number, reason}))[0]).toEqual({
      number: again.generation,
      reason: "configuration edited",
    })
    expect(again.generation).toBe(applied.generation + 1)
    expect(existsSync(host.project.path(".svc.config.yml.new"))).toBe(false)
  })

  test("shows at most a hundred findings of a long text, and a diff that applies", async () => {
    const host = common()
    const text = `${config}${Array.from({length: 1500}, (_, index) => `  absent${index}:`).join("\n")}`
    const {text: before} = await fileOf(host)
    const preview = await previewOf(host, {text})
    expect(preview).toMatchObject({code: "plugin_missing", text})
    expect(preview.issues).toHaveLength(100)
    expect(applyPatch(before, preview.diff)).toBe(text)
  })

  describe.each(
    casesOf(
      [
        ["a value that does not fit", set("greeting", "x"), /^plugins\.greeter\.config\.greeting$/, "config_invalid"],
        [
          "a secret that is written out",
          set("key", "secret-canary"),
          /^plugins\.greeter\.config\.key$/,
          "config_invalid",
        ],
        ["a secret whose variable is not set", set("key", "${SVC_NOT_SET}"), /\.key$/, "config_invalid"],
        ["a key that nobody knows", set("greting", "hello"), /\.greting$/, "config_invalid"],
        ["a setup that throws", set("greeting", "boom"), /./, "plugin_invalid"],
        [
          "a plugin that is not there",
          {change: "add_plugin", plugin: "nobody"} satisfies ConfigChange,
          /nobody/,
          "plugin_missing",
        ],
      ] as const,
      runtime,
      runtimes,
    ),
  )("%s", (_, wrong, path, code) => {
    test("is reported in the preview with its position, and refused without any change", async () => {
      const host = common()
      const {hash, text: before} = await fileOf(host)
      const {generation} = await statusOf(host)
      const preview = await previewOf(host, {changes: [wrong], draft: true})
      expect({code: preview.code, path: `${preview.issues[0]?.path} ${preview.issues[0]?.message}`}).toEqual({
        code,
        path: expect.stringMatching(/./),
      })
      expect(preview.issues[0]?.path === "" ? preview.issues[0].message : preview.issues[0]?.path).toMatch(path)
      const body = await expectProblem(await postConfig(host, {hash, text: preview.text}), 422, code)
      expect(JSON.stringify(body)).not.toContain("secret-canary")
      expect(host.project.read("svc.config.yml")).toBe(before)
      expect((await statusOf(host)).generation).toEqual(generation)
      expect((await statusOf(host)).lastFailure).toBeNull()
    })
  })

  test("refuses a text that starts another program", async () => {
    const {hash, text} = await fileOf(common())
    const mcp = "{name: files, command: [touch, started], allow: [read]}"
    const changed = `${text}agents:\n  helper: {provider: google, model: m, instructions: i, mcp: [${mcp}]}\n`
    await expectProblem(await postConfig(common(), {hash, text: changed}), 422, "config_not_editable")
    expect((await fileOf(common())).text).toBe(text)
  })

  test("does not overwrite a file that was changed meanwhile, and returns its current text", async () => {
    const host = common()
    const {hash, text} = await fileOf(host)
    const meanwhile = text.replace("# It greets.", "# It greets everybody.")
    const {generation} = await statusOf(host)
    host.project.write("svc.config.yml", meanwhile)
    const body = await expectProblem(await postConfig(host, {hash, text: `${text}# mine\n`}), 409, "config_changed")
    expect(body.current).toMatchObject({text: meanwhile})
    expect(host.project.read("svc.config.yml")).toBe(meanwhile)
    await generationOf(host, generation.number + 1)
  })

  test("adds, disables, enables and removes plugins", async () => {
    const host = common()
    const {text} = await fileOf(host)
    await change(host, {change: "disable_plugin", plugin: "greeter"})
    expect(host.project.read("svc.config.yml")).toContain("  greeter:\n    enabled: false\n    config:\n")
    await change(host, {change: "enable_plugin", plugin: "greeter"}, {change: "add_plugin", plugin: "webhook"})
    expect(host.project.read("svc.config.yml")).toBe(`${text}  webhook: {}\n`)
    await change(host, {change: "remove_plugin", plugin: "webhook"})
    expect(host.project.read("svc.config.yml")).toBe(text)
  })

  test("adds, changes and removes accounts, and reports an invalid one", async () => {
    const host = common()
    const {text} = await fileOf(host)
    const account = {secrets: ["${SVC_WEBHOOK_KEY}"]}
    await change(host, {change: "add_plugin", plugin: "webhook"})
    const wrong: ConfigChange = {change: "add_account", plugin: "webhook", account: "one", value: {nothing: 1}}
    expect((await previewOf(host, {changes: [wrong]})).issues.map(({path}) => path)).toEqual([
      "plugins.webhook.endpoints[0].secrets",
      "plugins.webhook.endpoints[0].nothing",
    ])
    await change(host, {change: "add_account", plugin: "webhook", account: "one", value: account})
    await change(host, {
      change: "set",
      plugin: "webhook",
      account: "one",
      path: ["url"],
      value: "https://shop.example.org/in",
    })
    expect(host.project.read("svc.config.yml")).toBe(
      `${text}  webhook:
    endpoints:
      - id: one
        secrets:
          - \${SVC_WEBHOOK_KEY}
        url: https://shop.example.org/in
`,
    )
    await change(host, {change: "remove_account", plugin: "webhook", account: "one"})
    await change(host, {change: "remove_plugin", plugin: "webhook"})
    expect(host.project.read("svc.config.yml")).toBe(text)
  })

  test("announces a change that needs a restart, and writes it only on request", async () => {
    const host = common()
    const {hash, text} = await fileOf(host)
    const preview = await previewOf(host, {text: text.replace("port: 0", "port: 1"), draft: true})
    expect(preview).toMatchObject({issues: [], restart: ["http.port"]})
    await expectProblem(await postConfig(host, {hash, text: preview.text}), 409, "restart_required")
    expect(host.project.read("svc.config.yml")).toBe(text)
    const applied = await host.post("/api/config", {body: {hash, text: preview.text, restart: true}})
    expect(applied).toMatchObject({written: true, committed: false, restart: ["http.port"]})
    expect(host.project.read("svc.config.yml")).toBe(preview.text)
    await host.post("/api/config", {body: {hash: preview.hash, text}})
  })

  test("ends a pin, and the preview says so", async () => {
    const host = common()
    const {generation} = await statusOf(host)
    await host.post("/api/generations/:number/rollback", {number: generation.number})
    expect((await fileOf(host)).pinned).toBe(generation.number)
    const changed = set("greeting", "after the pin")
    expect((await previewOf(host, {changes: [changed]})).unpins).toBe(generation.number)
    await change(host, changed)
    expect((await statusOf(host)).pin).toBeNull()
    expect(await host.say("/greet")).toEqual(["after the pin"])
  })

  test("does not replace a file that is a mount, and returns the diff", async context => {
    needMounts(context)
    const host = common()
    const {hash, text, writable} = await fileOf(host)
    expect(writable).toBe(true)
    mountReadOnly(host.project.path("svc.config.yml"))
    expect(await fileOf(host)).toMatchObject({writable: false, hash})
    const {generation} = await statusOf(host)
    const applied = await host.post("/api/config", {body: {hash, text: text.replace("# It greets", "# This greets")}})
    expect(applied).toMatchObject({written: false, committed: false, generation: generation.number})
    expect(applied.unwritable).toMatch(/mounted|read-only/)
    expect(applied.diff).toContain("-  # It greets")
    expect(host.project.read("svc.config.yml")).toBe(text)
  })

  test("is refused to a demo token, which may read and change nothing", async () => {
    const host = common()
    const headers = {authorization: `Bearer ${env.DEMO_TOKEN}`, "content-type": "application/json"}
    for (const [method, path] of [
      ["GET", "/api/config/file"],
      ["POST", "/api/config/preview"],
      ["POST", "/api/config"],
    ] as const)
      await expectProblem(
        await fetch(`${host.url}${path}`, {method, headers, ...(method === "POST" ? {body: "{}"} : {})}),
        403,
        "forbidden",
      )
  })
})

describe.each(bunOr("node24"))("between writing the file and the commit, on $name", runtime => {
  test("a kill leaves the new configuration to the next start", async () => {
    const host = await startHost({own: true, runtime, config, env, plugins: {greeter, slow}})
    const {hash} = await fileOf(host)
    const changes = [set("greeting", "tried"), {change: "add_plugin", plugin: "slow"} satisfies ConfigChange]
    const {text} = await host.post("/api/config/preview", {body: {hash, changes}})
    const posted = postConfig(host, {hash, text}).catch(() => undefined)
    await until("the file to be written", () => host.project.read("svc.config.yml") === text)
    await host.stop("SIGKILL")
    expect(await posted).toBeUndefined()
    const next = await startHost({runtime, project: host.project, env})
    expect((await statusOf(next)).generation).toMatchObject({number: 2, reason: "started"})
    expect(await next.say("/greet")).toEqual(["tried"])
    expect(await next.say("/count")).toEqual(["2000000"])
  })
})

test("in production a trial start with the new file decides, and a failed one leaves the file unchanged", async () => {
  const token = randomBytes(32).toString("hex")
  const production = {
    config: config.slice(0, config.indexOf("  # It greets")).replace("port: 0", "port: ${SVC_TEST_PORT}"),
    env: {...env, HTTP_TOKEN: token, SVC_TEST_PORT: String(await freePort()), SVC_SUPERVISOR: "docker"},
    args: ["--mode", "production", "--no-watch"],
  }
  const host = await startHost(production)
  const {hash, text} = await fileOf(host)
  const port = await listen(createServer())
  const refused = await previewOf(host, {text: text.replace("${SVC_TEST_PORT}", String(port)), draft: true})
  expect(refused).toMatchObject({issues: [], restart: ["http.port"]})
  await expectProblem(await postConfig(host, {hash, text: refused.text, restart: true}), 422, "trial_failed")
  expect(host.project.read("svc.config.yml")).toBe(text)
  expect((await statusOf(host)).lastFailure).toBeNull()
  const next = text.replace("${SVC_TEST_PORT}", String(await freePort()))
  expect(await host.post("/api/config", {body: {hash, text: next, restart: true}})).toMatchObject({
    written: true,
    restarting: true,
  })
  expect((await host.process.finished).code).toBe(75)
  expect(host.project.read("svc.config.yml")).toBe(next)
})

test("an uncommitted configuration is reported with the command that commits it", async () => {
  const project = makeGitProject({config, plugins: {greeter}})
  const host = await startHost({project, env})
  expect((await statusOf(host)).uncommitted).toBeNull()
  await change(host, set("greeting", "not committed"))
  const {uncommitted} = await until("the status to report the uncommitted file", async () => {
    const status = await statusOf(host)
    return status.uncommitted !== null && status
  })
  expect(uncommitted?.file).toBe("svc.config.yml")
  expect(await host.get("/api/system/readiness")).toMatchObject({ready: true, uncommitted})
  const shown = await svc(usualRuntime, project, ["runtime", "status"], {env})
  expect(shown.stdout).toMatch(/^uncommitted +svc\.config\.yml; git commit /m)
  const doctor = await svc(usualRuntime, project, ["doctor", "--static", "--json"], {env})
  expect(doctor.stdout).toMatch(/\bsvc\.config\.yml differs\b/)
  execFileSync("sh", ["-c", uncommitted?.command ?? ""], {
    cwd: project.folder,
    env: {...gitNames, PATH: process.env.PATH ?? "", HOME: project.folder},
  })
  expect(project.git("status", "--porcelain")).toBe("")
  const {hash, text} = await fileOf(host)
  expect((await host.post("/api/config/preview", {body: {hash, text}})).diff).toBe("")
})

const gitNames = {
  GIT_AUTHOR_NAME: "test",
  GIT_AUTHOR_EMAIL: "test@localhost",
  GIT_COMMITTER_NAME: "test",
  GIT_COMMITTER_EMAIL: "test@localhost",
}
