import {describe, expect, test} from "vitest"
import {bunOr, pluginWith, shared, startHost, svc, type TestHost, type TestRuntime} from "../../support/host/host.ts"
import {startProcess, untilPrinted} from "../../support/host/process.ts"

/** Control characters that clear the screen, set the title, hide text, move up and write backwards. */
const hostile = "\u001b[2J\u001b]0;owned\u0007\u001b[8m\u009b1A\u202e\u007f\rpwned"

const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u

const echo = pluginWith(`
  plugin.command("echo", () => {
    plugin.log.warn(${JSON.stringify(hostile)})
    return ${JSON.stringify(hostile)}
  })
  plugin.command("fall", () => { throw new Error(${JSON.stringify(hostile)}) })`)

describe.each(bunOr("node24"))("on a terminal, from a Host on $name", runtime => {
  const host = shared(() => hostWithHostileTexts(runtime))

  test.each([
    "inbox list",
    "inbox show 1",
    "inbox show 2",
    "inbox show 3",
    "outbox list",
    "logs",
    "workroom list",
    "workroom show 1",
    "workroom journal",
    "endpoints",
    "plugin list",
    "runtime status",
    "schedule list",
    "doctor",
  ])("svc %s shows control characters and sends none to the terminal", async words => {
    const {project} = host()
    const {stdout, stderr} = await svc(runtime, project, words.split(" "))
    expect(`${stdout}${stderr}`).not.toMatch(obeyed)
    if (/^(inbox|outbox|logs|workroom (list|show))/.test(words)) expect(stdout).toContain("\\u001b")
  })

  test.each(["inbox list", "inbox show 3", "outbox list", "logs", "workroom list"])(
    "svc %s --json prints the same texts as valid JSON",
    async words => {
      const {stdout} = await svc(runtime, host().project, [...words.split(" "), "--json"])
      expect(stdout).not.toMatch(obeyed)
      const texts = words === "logs" ? stdout.trim().split("\n") : [stdout]
      expect(JSON.stringify(texts.map(text => JSON.parse(text)))).toContain(JSON.stringify(hostile).slice(1, -1))
    },
  )

  test("svc chat shows control characters in a bot's answers", async () => {
    const {stdout, stderr} = await svc(runtime, host().project, ["chat"], {input: "/echo\n"})
    expect(stdout).toContain("\\u001b[2J")
    expect(`${stdout}${stderr}`).not.toMatch(obeyed)
  })

  test("svc events tail and the Host's log show control characters in events", async () => {
    const {project, process} = host()
    const tail = startProcess(
      [...runtime.command, "events", "tail", "--types", "message.*", "--after", "of another history"],
      {cwd: project.folder},
    )
    await untilPrinted(tail, "gap")
    await host().say("/fall")
    await untilPrinted(tail, "message.failed")
    expect(tail.output()).toContain("\\u001b[2J")
    expect(tail.output()).not.toMatch(obeyed)
    expect(process.output()).toContain("\\u001b[2J")
    expect(process.output()).not.toMatch(obeyed)
  })
})

const hostWithHostileTexts = async (runtime: TestRuntime): Promise<TestHost> => {
  const host = await startHost({
    runtime,
    config: "http: {port: 0}\nplugins:\n  sandbox: {}\n  echo: {}\n",
    plugins: {echo},
  })
  await host.say("/echo", {user: hostile.replaceAll("\r", "")})
  await host.say("/fall")
  await host.say(hostile)
  await host.post("/api/workroom/items", {body: {title: hostile, labels: [], priority: "normal"}})
  return host
}
