import {describe, expect, test} from "vitest"
import {launchHost, makeProject, startHost, svc, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {documentOf} from "../../support/host/questions.ts"
import {casesOf, onBun, onNode22, type TestRuntime} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"
import {canaries, canariesIn, canaryConfig, leftBehind, vaultPlugin, wrongToken} from "./canaries.ts"

const production = ["--mode", "production", "--no-watch"]

const expectNone = (outputs: Readonly<Record<string, string>>) => {
  const found = Object.entries(outputs).flatMap(([where, text]) => canariesIn(text).map(what => `${where}: ${what}`))
  expect(found).toEqual([])
}

/** Reads a complete answer, or the first part of an event stream. */
const readAnswer = async (host: TestHost, path: string, token: string): Promise<string> => {
  const signal = AbortSignal.timeout(60_000)
  const response = await host.fetch(path, {headers: {authorization: `Bearer ${token}`}, signal})
  const head = `${response.status} ${JSON.stringify([...response.headers])}`
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return head + (await response.text())
  const reader = response.body?.getReader()
  const {value} = (await reader?.read()) ?? {}
  await reader?.cancel()
  return head + new TextDecoder().decode(value)
}

/** The answers of every GET route to each token and to a wrong one. */
const readApi = async (host: TestHost): Promise<Readonly<Record<string, string>>> => {
  const {paths} = await documentOf(host)
  const {items} = await host.get("/api/outbox")
  const gets = Object.keys(paths).filter(path => "get" in (paths[path] ?? {}))
  expect(gets.length).toBeGreaterThan(15)
  const answers: Record<string, string> = {}
  for (const template of gets) {
    const path = template.replace(/\{(\w+)\}/g, (_, name) => (name === "id" ? (items[0]?.id ?? "none") : "1"))
    for (const [who, token] of Object.entries({
      full: canaries.HTTP_TOKEN,
      demo: canaries.DEMO_TOKEN,
      wrong: wrongToken,
    })) {
      answers[`GET ${path} (${who})`] = await readAnswer(host, path, token)
    }
  }
  return answers
}

/** Some commands run on Bun only, because their output comes from the API and is the same on both. */
const commandsOn = (runtime: TestRuntime): readonly string[] => [
  "config print --json",
  "doctor --json",
  "runtime start --once --mode production",
  ...(runtime === onBun ? ["config print", "logs --json", "inbox show 1 --json", "runtime status"] : []),
]

const clients = onNode22 === undefined ? [onBun] : [onBun, onNode22]

describe.each(clients)("no trace of any secret, on $name,", runtime => {
  // Records on a terminal have the same content, and the same code masks secrets in them. The API has no format.
  test.each(runtime === onBun ? ["json", "pretty"] : ["json"])(
    "in the log (%s), the API, the command line or the files left on disk",
    async format => {
      const args = format === "json" ? production : ["--no-watch"]
      const port = await freePort()
      const host = await startHost({
        own: true,
        runtime,
        config: canaryConfig(port),
        plugins: {vault: vaultPlugin},
        env: canaries,
        args,
      })
      const {project} = host
      await host.say("/fail")
      await host.plugin("/api/plugins/sandbox/messages", {text: "/whisper"})
      await host.say("/late")
      await untilPrinted(host.process, / threw outside /)
      await until("the message to fail", async () =>
        (await host.get("/api/outbox")).items.some(({state}) => state === "failed"),
      )
      const outputs: Record<string, string> = format === "json" ? {...(await readApi(host))} : {}
      for (const line of format === "json" ? commandsOn(runtime) : []) {
        const {stdout, stderr} = await svc(runtime, project, line.split(" "), {env: canaries})
        outputs[`svc ${line}`] = stdout + stderr
      }
      outputs.log = host.process.output()
      // The log contains these texts with the secrets masked, so the test has something to find.
      for (const text of [
        "the key is [secret]",
        "on the console [secret]",
        "failed: [secret]",
        "late: [secret]",
        "open: [secret]",
      ]) {
        expect(outputs.log).toContain(text)
      }
      for (const part of format === "json" ? ["outbox", "endpoints", "logs"] : [])
        expect(outputs[`GET /api/${part} (full)`]).toContain("[secret]")
      const running = leftBehind(project)
      const {stdout, stderr} = await host.stop()
      expectNone({...outputs, stdout, stderr, ...running, ...leftBehind(project)})
    },
  )

  test.each(["setup", "rejection"])("after a start that fails: %s, killed or not", async how => {
    const env = {...canaries, BREAK: how}
    const config = canaryConfig(await freePort())
    const {project, process: running} = launchHost({
      runtime,
      config,
      plugins: {vault: vaultPlugin},
      env,
      args: production,
    })
    if (how !== "setup") {
      await untilPrinted(running, "rejection: ")
      running.child.kill("SIGKILL")
    }
    const {stdout, stderr} = await running.finished
    const outputs: Record<string, string> = {stdout, stderr, ...leftBehind(project)}
    expect(stdout + stderr).toContain("[secret]")
    if (how === "setup") {
      for (const line of casesOf(["doctor --json", "runtime start --once"], runtime, clients)) {
        const ended = await svc(runtime, project, line.split(" "), {env})
        outputs[line] = ended.stdout + ended.stderr
        expect(outputs[line]).toContain("[secret]")
      }
    }
    expectNone(outputs)
  })

  test("from a database that repeats the token that it received", async () => {
    const server = await startStandIn((request, response) => {
      response.statusCode = 400
      response.end(
        JSON.stringify({message: `not with ${request.headers.authorization}`, token: canaries.DATABASE_TOKEN}),
      )
    })
    const config = `database: {dialect: libsql, url: "${server.url}", authToken: "\${DATABASE_TOKEN}"}\n${canaryConfig(9)}`
    const project = makeProject({config, plugins: {vault: vaultPlugin}})
    const {process: running} = launchHost({runtime, project, env: canaries, args: production})
    const {code, stdout, stderr} = await running.finished
    expect(code).toBe(1)
    expect(server.requests[0]?.authorization).toBe(`Bearer ${canaries.DATABASE_TOKEN}`)
    expect(stderr).toContain("database")
    const doctor = await svc(runtime, project, ["doctor", "--json"], {env: canaries})
    expectNone({stdout, stderr, doctor: doctor.stdout + doctor.stderr})
  })
})
