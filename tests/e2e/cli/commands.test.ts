import {spawn} from "node:child_process"
import {json, text} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, onTestFinished, test} from "vitest"
import {parse} from "yaml"
import {commands} from "../../../cli/commands.ts"
import {problems} from "../../../shared/problems.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {pluginWith, replying, startHost, story, svc, type TestHost} from "../../support/host/host.ts"
import {cleanEnvironment, startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {bunOr, onBun, onNode22, usualRuntime} from "../../support/host/runtimes.ts"

const names = Object.keys(commands)
const both = onNode22 === undefined ? [onBun] : [onBun, onNode22]
test("every command that needs a Host says that none is running and how to start it", async () => {
  const project = makeProject()
  const asking = names.filter(name =>
    /^(chat|send|inbox|outbox|generation|runtime (reload|restart|status|stop))/.test(name),
  )
  const args: Record<string, string> = {
    send: " a b c",
    "inbox show": " 1",
    "inbox trail": " 1",
    "inbox retry": " 1",
    "inbox release": " 1",
    "inbox discard": " 1",
    "inbox hold": " 1",
    "inbox redact": " 1",
    "outbox show": " 1",
    "outbox retry": " 1",
    "outbox release": " 1",
    "outbox discard": " 1",
    "outbox hold": " --older 1h",
    "outbox redact": " 1",
    "generation rollback": " 1",
  }
  for (const name of asking) {
    const {code, stdout, stderr} = await runCommand(project, `${name}${args[name] ?? ""}`)
    expect({name, code, stdout, stderr}).toEqual({
      name,
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(`^svc: .* ${project.folder}\n  hint: ${problems.host_unreachable.hint}\n$`),
    })
  }
  const {code, stdout, stderr} = await runCommand(project, "runtime status --json")
  expect({code, stdout, problem: JSON.parse(stderr).code}).toEqual({code: 1, stdout: "", problem: "host_unreachable"})
}, 600_000)

const greeterHost = (own = false): Promise<TestHost> =>
  startHost({
    own,
    config: "http: {port: 0}\nplugins:\n  sandbox: {}\n  greeter: {}\n",
    plugins: {greeter: replying("greet", "hello")},
    args: ["--no-watch"],
  })

describe.each([usualRuntime])("with a running Host, on $name", runtime => {
  test("chat and send reach the bot, and inbox and outbox show the results", async () => {
    const host = await greeterHost()
    const {project} = host
    // The input ends once the bot has answered both lines.
    const lines = "printf '/greet\\n\\n/grete\\n'; until test -e answered; do sleep 0.1; done"
    const command = [...runtime.command, "chat", "--as", "Ada"].join(" ")
    const chat = startProcess(["sh", "-c", `{ ${lines}; } | ${command}`], {cwd: project.folder})
    await untilPrinted(chat, /^hello\n.*greet/)
    project.write("answered", "")
    expect(await chat.finished).toMatchObject({code: 0, stderr: ""})

    const inbox = await printedJson<{items: {seq: number; state: string}[]; next: string | null}>(
      project,
      "inbox list",
      runtime,
    )
    expect(inbox.items.map(({state}) => state)).toEqual(["handled", "handled"])
    const [newest, oldest] = inbox.items
    const first = await printedJson<{items: {seq: number}[]; next: string}>(project, "inbox list --limit 1", runtime)
    expect(first.items.map(({seq}) => seq)).toEqual([newest?.seq])
    const rest = await printedJson<{items: {seq: number}[]; next: string | null}>(
      project,
      `inbox list --cursor ${first.next}`,
      runtime,
    )
    expect(rest).toMatchObject({items: [{seq: oldest?.seq}], next: null})
    for (const text of ["once", "differs"]) await host.say(text, {id: "one id"})
    expect(await printed(project, "inbox list --repeats", runtime)).toMatch(
      /^seq +received +state +repeats +endpoint +user +content\n3 .* 1 +sandbox +you +once\n$/,
    )
    const table = await printed(project, "inbox list", runtime)
    expect(table.split("\n")[0]).toMatch(/^seq +received +state +repeats +endpoint +user +content$/)
    expect(table).toMatch(/handled +sandbox +Ada +\/greet\n/)
    const event = await printed(project, `inbox show ${oldest?.seq}`, runtime)
    expect(event).toMatch(/^content +\/greet$/m)
    expect(event).toMatch(/^handler .*: handled, attempt 1$/m)
    expect(await printedJson(project, `inbox show ${oldest?.seq}`, runtime)).toMatchObject({
      seq: oldest?.seq,
      state: "handled",
    })

    expect(await printed(project, "endpoint reconnect sandbox", runtime)).toMatch(/^sandbox is reconnecting; /)
    await until("the endpoint to be online again", async () =>
      (await printed(project, "endpoint list", runtime)).includes("online"),
    )
    const id = (await printed(project, ["send", "sandbox", "-1001234", "- the build is green"], runtime)).trim()
    expect(await printedJson(project, `outbox show ${id}`, runtime)).toMatchObject({
      id,
      channel: "-1001234",
      text: "- the build is green",
    })
    expect(await printed(project, `outbox show ${id}`, runtime)).toMatch(/^to +sandbox -1001234$/m)
    const outbox = await printedJson<{items: {id: string}[]}>(project, "outbox list --limit 1", runtime)
    expect(outbox.items.map(item => item.id)).toEqual([id])
    expect(await printed(project, "outbox list", runtime)).toContain("the build is green")
  })

  test("unknown ids and invalid numbers are rejected with a hint", async () => {
    const {project} = await greeterHost()
    const told = async (line: string) =>
      (await runCommand(project, line, runtime)).stderr.replace(/\n {2}hint: [\s\S]*$/, "")
    expect(await told("inbox show 99")).toMatch(/^svc: .*99/)
    expect(await told("outbox show nothing")).toMatch(/^svc: .*nothing/)
    expect(await told("generation list --diff 1 99")).toMatch(/^svc: .*\bgeneration 99\b/)
    expect(await told("generation rollback 0")).toMatch(/^svc: .*\bgeneration 0\b/)
    expect(await told("inbox list --limit x&limit=1")).toContain('limit: expected an integer, got "x&limit=1"')
    expect(await told("outbox list --cursor a&b=c")).toMatch(/^svc: /)
    expect(await told("send nowhere #a text")).toMatch(/^svc: .*nowhere/)
  })
})

test("svc chat waits for the answers to piped input, and shows once that a slow bot writes", story, async () => {
  const {project} = await startHost({
    config: "http: {port: 0}\nplugins:\n  sandbox: {}\n  thinker: {}\n",
    plugins: {
      thinker: pluginWith(`plugin.command("think", async ({session}) => {
        for (let times = 0; times < 4; times++) {
          await session.typing()
          await sleep(500)
        }
        return "at last"
      })`),
    },
  })
  const {code, stdout, stderr} = await svc(onBun, project, ["chat"], {input: "/think\n"})
  expect({code, stdout, stderr}).toEqual({code: 0, stdout: expect.stringMatching(/^\(.+\)\nat last\n$/), stderr: ""})
})

test("chat --group writes to a channel with several members, where a bare word is no command", async () => {
  const {project} = await greeterHost()
  const {code, stdout} = await svc(onBun, project, ["chat", "--group"], {input: "greet\n/greet\n"})
  expect({code, stdout}).toEqual({code: 0, stdout: "hello\n"})
})

describe.each(bunOr("node24"))("svc chat with piped input exits 1, on $name,", runtime => {
  const chat = (project: Project, input: string) => svc(runtime, project, ["chat"], {input})

  test("if the Host refuses a message: ingress is paused or the plugin sandbox is off", async () => {
    const {project} = await greeterHost()
    expect(await chat(project, "/greet\n")).toMatchObject({code: 0, stdout: "hello\n", stderr: ""})
    await runCommand(project, "ingress pause", runtime)
    expect(await chat(project, "/greet\n")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`^svc: sandbox .*\n {2}hint: ${problems.ingress_paused.hint}`)),
    })
    await runCommand(project, "ingress resume", runtime)
    await runCommand(project, "plugin disable sandbox", runtime)
    expect(await chat(project, "/greet\n")).toMatchObject({code: 1, stderr: expect.stringContaining("hint: ")})
  })

  test("if one of several messages is refused, after the others are answered", async () => {
    const {project} = await greeterHost()
    const long = "x".repeat(2_000_000)
    const {code, stdout, stderr} = await chat(project, `${long}\n/greet\n`)
    expect({code, stdout}).toEqual({code: 1, stdout: "hello\n"})
    expect(stderr).toContain("hint: Send at most 1 MiB.")
  })

  test("if the Host dies before it answers", async () => {
    const host = await startHost({
      own: true,
      config: "http: {port: 0}\nplugins:\n  sandbox: {}\n  thinker: {}\n",
      plugins: {thinker: pluginWith(`plugin.command("think", async () => { note("begun"); await sleep(600_000) })`)},
    })
    const {project} = host
    const talking = startProcess(["sh", "-c", `echo /think | ${[...runtime.command, "chat"].join(" ")}`], {
      cwd: project.folder,
    })
    await until("the command to run", () => project.read("notes.log").includes("begun"))
    await host.stop("SIGKILL")
    const {code, stderr} = await talking.finished
    expect(code).toBe(1)
    // Under load the kill may come before the Host has confirmed the message to the command.
    expect(stderr).toMatch(/\bno Host\b|\bnot answer\b/)
  }, 120_000)
})

test("a hint that mentions detail is printed with the detail, including one from the Host", async () => {
  const {project} = await greeterHost()
  const told = async (line: string) => (await runCommand(project, line)).stderr
  const refusal = await told("release complete --accepted-by dana --window soon")
  expect(refusal).toMatch(/^svc: the request is not valid\n {2}detail: window: expected .*"soon"\n/)
  expect(refusal.endsWith(`  hint: ${problems.request_invalid.hint}\n`)).toBe(true)
  expect(
    await told("schedule add tea --every often --timezone UTC --endpoint sandbox --channel chat --text Tea"),
  ).toMatch(/^svc: the request is not valid\n {2}detail: schedule\.every: expected .*"often"\n/)
  expect(await told("runtime start --from-checkpoint 1")).toMatch(/^svc: --from-checkpoint needs --once\n/)
})

describe("svc config", () => {
  const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
`
  const files = {".env": "HTTP_TOKEN=hunter22hunter22\n"}

  test.each(bunOr("node22"))("check, print and schema, on $name: they show no secret", async runtime => {
    const project = makeProject({config, files})
    expect(await printed(project, "config check", runtime)).toBe("svc.config.yml is valid\n")
    expect(await printedJson(project, "config check", runtime)).toEqual({ok: true, warnings: [], findings: []})
    const text = await printed(project, "config print", runtime)
    expect(text).not.toContain("hunter22")
    expect(parse(text)).toMatchObject({log_level: "info", http: {port: 0, host: "127.0.0.1", token: "[secret]"}})
    expect(await printedJson(project, "config print", runtime)).toEqual(parse(text))
    const schema = JSON.parse(await printed(project, "config print --schema", runtime))
    expect(schema.properties).toMatchObject({http: {}, database: {}, plugins: {}})
  })

  test("check exits 1 with every finding, even in a plugin's keys, and shows no variable's value", async () => {
    const project = makeProject({
      config: `${config}  greeter: {config: {nothing: 1}}\n`,
      files,
      plugins: {greeter: replying("greet", "hello")},
    })
    const refused = await runCommand(project, "config check")
    expect({code: refused.code, stdout: refused.stdout}).toEqual({code: 1, stdout: ""})
    expect(refused.stderr).toContain("svc.config.yml:4:22 plugins.greeter.config.nothing: unknown key")
    const {code, stdout} = await runCommand(project, "config check --json")
    expect({code, issues: JSON.parse(stdout).issues.length}).toEqual({code: 1, issues: 1})
    project.write("svc.config.yml", config.replace("port: 0", 'port: "${HTTP_TOKEN}"'))
    expect((await runCommand(project, "config print")).stderr).not.toContain("hunter22")
  })
})

describe.each(both)("output into a pipe, on $name", runtime => {
  /** Starts `svc`. Its stdout is read only when the test does so. */
  const unread = ([command = "", ...before]: readonly string[], project: Project, ...args: string[]) => {
    const child = spawn(command, [...before, ...args], {
      cwd: project.folder,
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    })
    onTestFinished(() => {
      child.kill("SIGKILL")
    })
    const ended = new Promise<number | null>(resolve => child.on("close", resolve))
    return {child, ended}
  }

  test("arrives complete at a slow reader, and a reader that closes the pipe causes no error", async () => {
    const host = await startHost()
    for (let n = 0; n < 10; n++)
      await host.post("/api/outbox", {body: {endpoint: "sandbox", channel: "a", text: "x".repeat(30_000)}})
    const slow = unread(runtime.command, host.project, "outbox", "list", "--json")
    await sleep(1500)
    const {items} = (await json(slow.child.stdout)) as {items: unknown[]}
    expect(await slow.ended).toBe(0)
    expect(items).toHaveLength(10)

    const leaving = unread(runtime.command, host.project, "outbox", "list", "--json")
    leaving.child.stdout.destroy()
    const [code, errors] = await Promise.all([leaving.ended, text(leaving.child.stderr)])
    expect({code, errors}).toEqual({code: 0, errors: ""})
  })
})
