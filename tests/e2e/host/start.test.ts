import {existsSync, readdirSync, readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {weaknessOf} from "../../../server/project/token-strength.ts"
import {problems} from "../../../shared/problems.ts"
import {probe} from "../../support/host/generation.ts"
import {bunAnd, expectProblem, launchHost, makeProject, onBun, startHost, story, svc} from "../../support/host/host.ts"
import {runProcess, until, untilPrinted} from "../../support/host/process.ts"
import {freePort, holdPort} from "../../support/machine/ports.ts"

/** A plugin with a `setup` that ends once the file `go` exists in the project. */
const slowPlugin = `
import {existsSync} from "node:fs"
import {definePlugin} from "svc-runtime"
export default definePlugin({
  setup: async plugin => {
    console.log("setting up")
    while (!existsSync(plugin.project + "/go")) await new Promise(resolve => setTimeout(resolve, 10))
    const late = ["internal/deps/undici/undici", "http2"]
    console.log("loaded:", late.filter(name => process.moduleLoadList?.includes("NativeModule " + name)).join() || "none")
  },
})
`

const launchSlow = async (runtime = onBun) => {
  const port = await freePort()
  const config = `http: {port: ${port}}\nplugins: {sandbox: {}, slow: {}}\n`
  const launched = launchHost({runtime, config, plugins: {slow: slowPlugin}, args: ["--no-watch"]})
  await untilPrinted(launched.process, "setting up")
  return {...launched, url: `http://127.0.0.1:${port}`}
}

describe.each(bunAnd("node22"))("while a Host starts on $name", runtime => {
  test("health is 200 and everything else 503 with Retry-After, until the Host is ready", story, async () => {
    const {project, url} = await launchSlow(runtime)
    const health = await fetch(`${url}/pub/health`)
    expect({status: health.status, body: await health.text()}).toEqual({status: 200, body: '{"status":"pass"}'})
    expect(await probe(url)).toEqual({status: 503, body: '{"ready":false}'})
    for (const path of ["/api/system/status", "/api/system/readiness", "/nothing"]) {
      const response = await fetch(`${url}${path}`)
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
      await expectProblem(response, 503, "starting")
    }
    project.write("go", "")
    await until("the Host to be ready", async () => (await probe(url)).status === 200)
    expect(await probe(url)).toEqual({status: 200, body: '{"ready":true}'})
  })

  test("neither its modules nor probes load undici or HTTP/2, which are a sixth of a start on Node", async () => {
    const {project, process, url} = await launchSlow(runtime)
    expect([(await probe(url)).status, (await fetch(`${url}/pub/health`)).status]).toEqual([503, 200])
    project.write("go", "")
    await untilPrinted(process, "loaded: none")
  })

  test.each(["SIGTERM", "SIGINT"] as const)("%s stops the start with 0, and the next start is normal", async signal => {
    const {project, process, url} = await launchSlow(runtime)
    process.child.kill(signal)
    const ended = await process.finished
    expect({code: ended.code, signal: ended.signal, stderr: ended.stderr}).toEqual({code: 0, signal: null, stderr: ""})
    await expect(fetch(`${url}/pub/health`)).rejects.toThrow()
    project.write("go", "")
    const next = await startHost({own: true, runtime, project})
    expect(await next.get("/api/system/status")).toMatchObject({restarts: 1, endedCleanly: true})
  })
})

test("SIGHUP during a start is kept: the Host then reloads the changed file", async () => {
  const {project, process} = await launchSlow()
  project.write(
    "svc.config.yml",
    readFileSync(project.path("svc.config.yml"), "utf8").replace("slow: {}", "slow: {enabled: false}"),
  )
  process.child.kill("SIGHUP")
  project.write("go", "")
  await untilPrinted(process, "generation 2 committed (SIGHUP)")
})

const endlessModule = `
import {definePlugin} from "svc-runtime"
console.log("loading")
await new Promise(resolve => setInterval(() => {}, 1000))
export default definePlugin({setup: () => {}})
`

test.each(bunAnd("node22"))("a plugin that never finishes loading does not delay a stop, on $name", async runtime => {
  const config = "http: {port: 0}\nplugins: {sandbox: {}, endless: {}}\n"
  const {process} = launchHost({runtime, config, plugins: {endless: endlessModule}})
  await untilPrinted(process, "loading")
  process.child.kill("SIGTERM")
  const ended = await process.finished
  expect({code: ended.code, signal: ended.signal, stderr: ended.stderr}).toEqual({code: 0, signal: null, stderr: ""})
})

test("a stop during a reload that waits for a setup is graceful and exits 0", async () => {
  const host = await startHost({own: true, plugins: {slow: slowPlugin}, args: ["--no-watch"]})
  host.project.write("svc.config.yml", "http: {port: 0}\nplugins: {sandbox: {}, slow: {}}\n")
  const reload = host.post("/api/system/reload").catch(() => {})
  await untilPrinted(host.process, "setting up")
  const ended = await host.stop()
  await reload
  expect({code: ended.code, stderr: ended.stderr}).toEqual({code: 0, stderr: ""})
  expect(ended.stdout).not.toContain("did not end")
})

describe("a port in use", () => {
  test.skipIf(process.platform !== "linux")(
    "by another process is reported with that process, and the start releases the project",
    async () => {
      const {port, release} = await holdPort()
      const project = makeProject({config: `http: {port: ${port}}\nplugins: {sandbox: {}}\n`})
      const refused = await svc(onBun, project, ["runtime", "start"])
      expect({code: refused.code, stdout: refused.stdout}).toEqual({code: 1, stdout: ""})
      expect(refused.stderr).toMatch(
        new RegExp(
          `^svc: 127\\.0\\.0\\.1:${port} .* pid ${process.pid} \\(\\S+.*\\)\n {2}hint: ${problems.port_taken.hint}\n$`,
        ),
      )
      await release()
      const host = await startHost({own: true, project})
      expect(new URL(host.url).port).toBe(String(port))
    },
  )
})

/** Runs `svc runtime start` with this configuration, which it must refuse. Returns stderr. */
const refusal = async (config: string | Uint8Array, args: readonly string[] = [], env: Record<string, string> = {}) => {
  const project = makeProject()
  project.write("svc.config.yml", config)
  const ended = await svc(onBun, project, ["runtime", "start", ...args], {env})
  expect({code: ended.code, stdout: ended.stdout}).toEqual({code: 1, stdout: ""})
  expect(ended.stderr).not.toMatch(/^ {4}at /m)
  expect(existsSync(project.path(".svc/data.sqlite"))).toBe(false)
  return ended.stderr
}

const hint = "  hint: Correct svc.config.yml, then run svc doctor.\n"

describe("a start with an invalid configuration exits 1, with the reason on stderr and no stack, for", () => {
  test("duplicate and unknown keys, wrong types and unset variables, all at once in file order", async () => {
    const config = `log_levl: info
http:
  token: \${NOT_SET}
  hots: 127.0.0.1
  port: abc
plugins:
  sandbox: {enable: true}
http:
  prot: 1
  demoToken: hunter22hunter22
`
    expect(await refusal(config)).toBe(`svc: the configuration has 5 errors
  svc.config.yml:1:1 log_levl: unknown key (did you mean "log_level"?)
  svc.config.yml:7:13 plugins.sandbox.enable: unknown key (did you mean "enabled"?)
  svc.config.yml:8:1 http: duplicate key; keep only one of them
  svc.config.yml:9:3 http.prot: unknown key (did you mean "port"?)
  svc.config.yml:10:14 http.demoToken: expected a bare \${NAME}, as secrets come from the environment only; got a literal
${hint}`)
  })

  test("an empty or truncated file, invalid UTF-8 and an alias bomb", async () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(", ")}]\n`
    const bomb = `a: &a [x, x, x]\n${["b", "c", "d", "e", "f"].map((name, n) => level(name, "abcde"[n] ?? "")).join("")}`
    const files: [string | Uint8Array, RegExp][] = [
      ["", /svc\.config\.yml:1:1 .*\bempty\b/],
      ["http: {port: 1\nplugins:", /svc\.config\.yml:2:1 Flow map/],
      [new Uint8Array([0x61, 0x3a, 0x20, 0xff]), /svc\.config\.yml:1:1 expected UTF-8 text/],
      [bomb, /svc\.config\.yml:[56]:\d+ [ef]\[/],
    ]
    for (const [bytes, told] of files) expect(await refusal(bytes)).toMatch(told)
  })

  test("production without a token, or with a placeholder, weak or literal one", async () => {
    const args = ["--mode", "production"]
    const config = (token: string) => `http:\n  port: 0\n  token: ${token}\nplugins: {sandbox: {}}\n`
    expect(await refusal("http: {port: 0}\n", args)).toMatch(/^svc: http\.token is not set\n {2}hint: /)
    const env = {HTTP_TOKEN: "replace-me-with-a-long-random-token"}
    expect(await refusal(config("${HTTP_TOKEN}"), args, env)).toMatch(/^svc: http\.token is the placeholder/)
    const told = (key: string, why = "") => `svc: ${key} ${why}\n  hint: ${problems.token_weak.hint}`
    const words = weaknessOf("password-password")
    const weak = await refusal(config("${HTTP_TOKEN}"), args, {HTTP_TOKEN: "my-secret-token-1"})
    expect(weak).toContain(told("http.token", words))
    expect(weak).toContain("openssl rand -hex 32")
    expect(weak).not.toContain("my-secret-token-1")
    const http = (more: string) => `http:\n  port: 0\n  token: \${HTTP_TOKEN}\n  ${more}\nplugins: {sandbox: {}}\n`
    const both = {HTTP_TOKEN: "a-token-of-thirty-two-characters", OTHER: "fifteen-letters"}
    expect(await refusal(http("demoToken: ${OTHER}"), args, both)).toContain(
      told("http.demoToken", "has fewer than 16 characters"),
    )
    const previous = 'previousToken: {token: "${OTHER}", until: "2999-01-01T00:00:00Z"}'
    expect(await refusal(http(previous), args, both)).toContain(
      told("http.previousToken.token", "has fewer than 16 characters"),
    )
    const literal = await refusal(config("hunter22hunter22"), args)
    expect(literal).toContain("svc.config.yml:3:10 http.token: expected a bare ${NAME}")
    expect(literal).not.toContain("hunter22")
    expect(await refusal(config("${HTTP_TOKEN:-hunter22hunter22}"), args)).not.toContain("hunter22")
  })

  test("a plugin that does not load, with the position", async () => {
    const project = makeProject({
      config: "http: {port: 0}\nplugins: {broken: {}}\n",
      plugins: {broken: 'import {definePlugin} from "svc-runtime"\nexport default definePlugin({setup( {\n'},
    })
    for (const {command} of bunAnd("node22")) {
      const ended = await runProcess([...command, "runtime", "start"], {cwd: project.folder})
      expect(ended.code).toBe(1)
      expect(ended.stderr).toMatch(/^ {2}plugins\/broken\.ts:[23]:\d+ /m)
      expect(ended.stderr).not.toMatch(/^ {4}at /m)
    }
  })

  test("a missing project, and writes nothing into the folder", async () => {
    const project = makeProject()
    const empty = project.path("node_modules")
    const before = readdirSync(empty)
    const ended = await svc(onBun, {...project, folder: empty}, ["runtime", "start"])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      new RegExp(`^svc: .*svc\\.config\\.yml .*${empty}\n  hint: ${problems.project_missing.hint}\n$`),
    )
    expect(readdirSync(empty)).toEqual(before)
  })

  test("an unknown mode", async () => {
    expect(await refusal("http: {port: 0}\n", ["--mode", "prod"])).toMatch(
      /^svc: .*\n {2}detail: --mode .*\bdevelopment, production .*"prod"\n/,
    )
  })
})

test("what an earlier run left is recovered before anything starts that could write it", async () => {
  const host = await startHost({own: true, config: "http: {port: 0}\nlog_level: debug\nplugins: {sandbox: {}}\n"})
  const started = [...host.process.output().matchAll(/starting the (\w+)$/gm)].map(([, name]) => name)
  expect(started.slice(started.indexOf("files"))).toEqual(
    `files plugins inbox outbox endpoints jobs timers agents
    service`.split(/\s+/),
  )
})

test.each([
  {memory: "fast", env: {}, delay: "-1"},
  {memory: "small", env: {}, delay: undefined},
  {memory: "${MEMORY:-small}", env: {}, delay: undefined},
  {memory: "${MEMORY:-small}", env: {MEMORY: "fast"}, delay: "-1"},
  {memory: "fast", env: {MIMALLOC_PURGE_DELAY: "100"}, delay: "100"},
])("on Bun, $memory memory with $env starts a Host whose allocator waits $delay ms", async ({memory, env, delay}) => {
  const config = `http: {port: 0}\nplugins: {sandbox: {}}\nruntime: {memory: "${memory}"}\n`
  const host = await startHost({own: true, runtime: onBun, config, env})
  const variables = readFileSync(`/proc/${host.process.pid}/environ`, "utf8").split("\0")
  const found = variables.find(each => each.startsWith("MIMALLOC_PURGE_DELAY="))
  expect(found?.replace(/^.*=/, "")).toBe(delay)
  expect(variables.includes("BUN_JSC_numberOfGCMarkers=1")).toBe(delay === "-1")
})
