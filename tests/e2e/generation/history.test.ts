import {expect, test} from "vitest"
import {generationOf, generationsOf, reload, statusOf, whileSuspended} from "../../support/host/generation.ts"
import {onBun, replying, runCommand, startHost, svc} from "../../support/host/host.ts"
import {unknownCommand} from "../../support/messages/answers.ts"

const config = (word: string, more = "") => `# ${word}
http: {port: 0}
plugins:
  sandbox: {}
${more}`
const quiet = ["--no-watch"]

const startGreeter = (args = quiet) =>
  startHost({config: config("one", "  greeter: {}\n"), plugins: {greeter: replying("greet", "hello")}, args})

test("generation numbers are durable and grow across restarts", async () => {
  const first = await startHost({own: true, config: config("one"), args: quiet})
  const {project} = first
  project.write("svc.config.yml", config("two"))
  expect(await reload(first)).toEqual({committed: true, generation: 2})
  expect(await reload(first)).toEqual({committed: false, generation: 2})
  await first.stop()
  const second = await startHost({own: true, project, args: quiet})
  expect((await statusOf(second)).generation).toMatchObject({number: 3, reason: "started"})
  await second.stop("SIGKILL")
  const third = await startHost({project, args: quiet})
  const all = await generationsOf(third)
  expect(all.map(({number, reason, current}) => ({number, reason, current}))).toEqual([
    {number: 4, reason: "started", current: true},
    {number: 3, reason: "started", current: false},
    {number: 2, reason: "requested", current: false},
    {number: 1, reason: "started", current: false},
  ])
  expect(all.map(({runtimeId}) => runtimeId)).toEqual([
    third.runtimeId,
    second.runtimeId,
    first.runtimeId,
    first.runtimeId,
  ])
})

test("the last 50 configurations are kept, and also a pinned older one", async () => {
  const host = await startHost({config: config("1"), args: quiet})
  for (let n = 2; n <= 52; n++) {
    host.project.write("svc.config.yml", config(String(n)))
    await reload(host)
  }
  expect((await generationsOf(host)).map(({number}) => number)).toEqual(Array.from({length: 50}, (_, n) => 52 - n))
  const gone = await host.fetch("/api/generations/2/config")
  expect(gone.status).toBe(404)
  expect(await gone.json()).toMatchObject({code: "generation_unknown"})
  await host.post("/api/generations/:number/rollback", {number: 3})
  expect((await generationsOf(host)).find(({pinned}) => pinned)?.number).toBe(3)
})

test("a kept configuration holds the names of variables, never their values", async () => {
  const env = {HTTP_TOKEN: "a-token-of-thirty-two-characters", WORD: "unseen-word"}
  const text = `http: {port: 0, token: "\${HTTP_TOKEN}"}\nlog_level: \${LEVEL:-info}\nplugins: {sandbox: {}}\n`
  const host = await startHost({config: text, env, args: quiet})
  expect((await host.get("/api/generations/:number/config", {number: 1})).config).toBe(text)
})

test("svc generation list with --diff, rollback and unpin work, and the status shows the pin of a rollback", async () => {
  const host = await startGreeter()
  const {project} = host
  const run = (...args: string[]) => svc(onBun, project, ["generation", ...args])
  project.write("svc.config.yml", config("two"))
  await reload(host)
  expect(await host.say("/greet")).toEqual([unknownCommand("greet")])

  const diff = await run("list", "--diff", "1", "2")
  expect(diff.code).toBe(0)
  expect(diff.stdout.split("\n")).toEqual(expect.arrayContaining(["-# one", "+# two", "-  greeter: {}"]))
  expect((await run("list", "--diff", "1", "1")).stdout).toBe("")
  expect(await run("list", "--diff", "1", "9")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("generation 9"),
  })

  expect(await run("rollback", "1")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^generation 3 .* 1, pinned\n {2}enabled {3}greeter\n$/),
  })
  expect(await host.say("/greet")).toEqual(["hello"])
  expect(await statusOf(host)).toMatchObject({generation: {number: 3, reason: "rollback to 1"}, pin: {number: 1}})
  expect((await svc(onBun, project, ["runtime", "status"])).stdout).toMatch(/pinned\s+generation 1;/)
  expect((await generationsOf(host)).map(({number, pinned}) => ({number, pinned}))).toEqual([
    {number: 3, pinned: false},
    {number: 2, pinned: false},
    {number: 1, pinned: true},
  ])
  expect((await run("list")).stdout).toMatch(/rollback to 1/)

  expect(await reload(host)).toEqual({committed: false, generation: 3})
  expect(await run("unpin")).toMatchObject({code: 0, stdout: "generation 4 runs svc.config.yml\n"})
  expect((await statusOf(host)).pin).toBeNull()
  expect(await host.say("/greet")).toEqual([unknownCommand("greet")])
  expect(await run("unpin")).toMatchObject({code: 1, stderr: expect.stringMatching(/\bpinned\b/)})
  expect(await run("rollback", "77")).toMatchObject({code: 1, stderr: expect.stringContaining("generation 77")})
})

test("a pin lasts across restarts until the file changes", async () => {
  const first = await startHost({own: true, config: config("one"), args: quiet})
  const {project} = first
  project.write("svc.config.yml", config("two", "  greeter: {}\n"))
  project.write("plugins/greeter.ts", replying("greet", "hello"))
  await reload(first)
  await first.post("/api/generations/:number/rollback", {number: 1})
  await first.stop()

  const second = await startHost({own: true, project, args: quiet})
  expect(await statusOf(second)).toMatchObject({generation: {number: 4}, pin: {number: 1}})
  expect(await second.say("/greet")).toEqual([unknownCommand("greet")])
  await second.stop("SIGKILL")

  const third = await startHost({project, args: quiet})
  expect((await statusOf(third)).pin).toEqual({number: 1})
  project.write("svc.config.yml", config("three", "  greeter: {}\n"))
  expect(await reload(third)).toEqual({committed: true, generation: 6})
  expect((await statusOf(third)).pin).toBeNull()
  expect(await third.say("/greet")).toEqual(["hello"])
})

test("a pin ends at startup if the file changed while the Host was down", async () => {
  const first = await startHost({config: config("one"), args: quiet})
  const {project} = first
  project.write("svc.config.yml", config("two"))
  await reload(first)
  await first.post("/api/generations/:number/rollback", {number: 1})
  await first.stop()
  project.write("svc.config.yml", config("three"))
  const second = await startHost({project})
  expect(await statusOf(second)).toMatchObject({generation: {number: 4}, pin: null})
  await whileSuspended(second, () => project.write("svc.config.yml", config("two")))
  expect((await generationOf(second, 5)).pin).toBeNull()
})

test("a rollback to a configuration that no longer works changes nothing", async () => {
  const host = await startGreeter()
  host.project.write("svc.config.yml", config("two"))
  await reload(host)
  host.project.write("plugins/greeter.ts", "export default 1\n")
  await expect(host.post("/api/generations/:number/rollback", {number: 1})).rejects.toThrow("plugin_invalid")
  expect(await statusOf(host)).toMatchObject({
    generation: {number: 2},
    pin: null,
    lastFailure: {reason: "rollback to 1", code: "plugin_invalid"},
  })
})

test("a refused configuration stays reported after a rollback until the file changes or is accepted", async () => {
  const host = await startGreeter()
  host.project.write("plugins/greeter.ts", replying("greet", "good day"))
  host.project.write("svc.config.yml", config("two"))
  await reload(host)
  host.project.write("svc.config.yml", "log_level: loud\n")
  await expect(host.post("/api/system/reload")).rejects.toThrow("config_invalid")
  const printed = await runCommand(host.project, "generation rollback 1")
  expect({code: printed.code, stdout: printed.stdout}).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^generation 3 .* 1, pinned\n {2}enabled {3}greeter\n$/),
  })
  expect(await statusOf(host)).toMatchObject({pin: {number: 1}, lastFailure: {code: "config_invalid"}})
  await reload(host)
  expect((await statusOf(host)).lastFailure).toMatchObject({code: "config_invalid"})
  const {items} = await host.get("/api/generations")
  const [third, , first] = items
  expect(third?.code.greeter).toMatch(/\S/)
  expect(third?.code.greeter).not.toBe(first?.code.greeter)
  host.project.write("svc.config.yml", config("two"))
  await reload(host)
  expect(await statusOf(host)).toMatchObject({pin: null, lastFailure: null})
})

test("a pinned Host in development runs new code of its plugins, and stays pinned", async () => {
  const host = await startGreeter([])
  await whileSuspended(host, () => host.project.write("svc.config.yml", config("two")))
  await generationOf(host, 2)
  await host.post("/api/generations/:number/rollback", {number: 1})
  await whileSuspended(host, () => host.project.write("plugins/greeter.ts", replying("greet", "good day")))
  expect((await generationOf(host, 4)).pin).toEqual({number: 1})
  expect(await host.say("/greet")).toEqual(["good day"])
})
