import {spawn} from "node:child_process"
import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from "node:fs"
import {delimiter, join} from "node:path"
import {describe, expect, test} from "vitest"
import {setUpPlatforms} from "../../../cli/kit/first-account.ts"
import {readYaml} from "../../../server/config/text/yaml.ts"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import {quoted} from "../../../server/process/toolchain.ts"
import {startDiscord, startSlack, startTelegram} from "../../../server/testing/platforms/platforms.ts"
import {
  bunAnd,
  freePort,
  makeFolder,
  onBun,
  runProcess,
  startProcess,
  type TestRuntime,
  until,
} from "../../support/host/host.ts"
import {cleanEnvironment} from "../../support/host/process.ts"
import {pathWith} from "../../support/host/runtimes.ts"
import {whenOver} from "../../support/host/shared.ts"
import {registryEnvironment} from "../../support/machine/registry.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

const matrixToken = "syt_the_right_one"

/** A fake of Matrix: it knows one token. */
const startMatrix = () =>
  startStandIn(({url = "", headers}, response) => {
    const isRight = headers.authorization === `Bearer ${matrixToken}`
    response.statusCode = isRight ? 200 : 401
    const known = url.includes("whoami") ? {user_id: "@helper:fake.example"} : {displayname: "Helper"}
    response.end(JSON.stringify(isRight ? known : {errcode: "M_UNKNOWN_TOKEN", error: "UNKNOWN"}))
  })

/** Starts one of the protocol fakes until the test ends. */
const closing = async <F extends {close(): Promise<void>}>(start: () => Promise<F>): Promise<F> => {
  const fake = await start()
  whenOver(() => fake.close())
  return fake
}

interface Case {
  readonly platform: (typeof setUpPlatforms)[number]
  /** Starts its fake; resolves to the address of its API. */
  readonly start: () => Promise<string>
  readonly id: string
  readonly right: Readonly<Record<string, string>>
  readonly wrong: Readonly<Record<string, string>>
  /** The words of the fake for the wrong ones. */
  readonly refusal: string
  readonly found: string
  readonly next: string
  /** The account in svc.config.yml, for an address. */
  readonly account: (api: string) => object
}

const cases: readonly Case[] = [
  {
    platform: "telegram",
    start: async () => (await closing(startTelegram)).url,
    id: "main",
    right: {TELEGRAM_TOKEN: "123456:a-protocol-fake"},
    wrong: {TELEGRAM_TOKEN: "654321:another-token"},
    refusal: "Unauthorized",
    found: "@test_bot",
    next: "https://t.me/test_bot",
    account: apiRoot => ({apiRoot, token: "${TELEGRAM_TOKEN}"}),
  },
  {
    platform: "discord",
    start: async () => (await closing(startDiscord)).url,
    id: "club",
    right: {DISCORD_TOKEN: "bot-999.a-protocol-fake"},
    wrong: {DISCORD_TOKEN: "wrong-token"},
    refusal: "401",
    found: "test-bot",
    next: "client_id=999&",
    account: api => ({api, token: "${DISCORD_TOKEN}"}),
  },
  {
    platform: "matrix",
    start: async () => (await startMatrix()).url,
    id: "main",
    right: {MATRIX_TOKEN: matrixToken},
    wrong: {MATRIX_TOKEN: "syt_another_one"},
    refusal: "M_UNKNOWN_TOKEN UNKNOWN",
    found: "@helper:fake.example",
    next: "@helper:fake.example",
    account: homeserver => ({homeserver, accessToken: "${MATRIX_TOKEN}", join: "same-server"}),
  },
  {
    platform: "slack",
    start: async () => `${(await closing(startSlack)).url}/api/`,
    id: "team",
    right: {SLACK_APP_TOKEN: "xapp-the-right-app", SLACK_BOT_TOKEN: "xoxb-the-right-bot"},
    wrong: {SLACK_APP_TOKEN: "xapp-another-app", SLACK_BOT_TOKEN: "xoxb-the-right-bot"},
    refusal: "invalid_auth",
    found: "@helper",
    next: "/invite @helper",
    account: api => ({api, appToken: "${SLACK_APP_TOKEN}", botToken: "${SLACK_BOT_TOKEN}"}),
  },
]

/** A PATH with a stand-in for npm: `install` does not end before a signal, and everything else does nothing. */
const npmThat = (install: "waits" | "ends"): string => {
  const bin = makeFolder()
  const waiting = 'if [ "$1" = install ]; then touch node_modules; exec sleep 60; fi\n'
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n${install === "waits" ? waiting : ""}`, {mode: 0o755})
  return `${bin}${delimiter}${process.env.PATH}`
}

const init = (runtime: TestRuntime, platform: string, ...more: readonly string[]): readonly string[] => [
  ...runtime.command,
  ...["init", "my-bot", "--runtime", "node", "--platform", platform, ...more],
]

test("svc init offers the adapters that have a setup", async () => {
  const loaded = await Promise.all(
    Object.entries(builtIns).map(async ([name, load]) => [name, (await load()).setup] as const),
  )
  expect(loaded.flatMap(([name, setup]) => (setup === undefined ? [] : [name])).sort()).toEqual(
    [...setUpPlatforms].sort(),
  )
})

describe.each(bunAnd("node22"))("svc init --platform on $name", runtime => {
  test.each(cases)("writes the account of $platform that its fake knows", async each => {
    const folder = makeFolder()
    const api = await each.start()
    const line = init(runtime, each.platform, "--api-url", api, "--no-install")
    const {code, stdout, stderr} = await runProcess(line, {cwd: folder, env: {...each.right, PATH: npmThat("ends")}})
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
    expect(stdout).toContain(`checked: ${each.found}`)
    expect(stdout).toContain(each.next)

    const read = (path: string) => readFileSync(join(folder, "my-bot", path), "utf8")
    const lines = Object.entries(each.right).map(([name, value]) => `${name}=${value}\n`)
    expect(read(".env")).toBe(lines.join(""))
    expect(statSync(join(folder, "my-bot/.env")).mode & 0o777).toBe(0o600)
    expect(read(".gitignore").split("\n")).toContain(".env")
    const config = read("svc.config.yml")
    const {value} = readYaml(config) as {value: {plugins: Readonly<Record<string, unknown>>}}
    expect(value.plugins[each.platform]).toEqual({endpoints: [{id: each.id, ...each.account(api)}]})
    expect(config).toContain("  # plugins/greeter.ts\n")
    const {libraries = {}} = (await builtIns[each.platform]?.()) ?? {}
    expect(JSON.parse(read("package.json")).dependencies).toMatchObject(libraries)
    for (const secret of Object.values(each.right)) expect(`${stdout}${config}`).not.toContain(secret)

    symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(folder, "my-bot/node_modules"))
    const checked = await runProcess([...runtime.command, "config", "check"], {cwd: join(folder, "my-bot")})
    expect({code: checked.code, stderr: checked.stderr}).toEqual({code: 0, stderr: ""})
  })

  test.each(cases)(
    "writes nothing for $platform without values, with wrong ones, and without a network",
    async each => {
      const folder = makeFolder()
      const [api, nowhere] = [await each.start(), `http://127.0.0.1:${await freePort()}`]
      for (const {address, env, words} of [
        {address: api, env: {}, words: Object.keys(each.right)},
        {address: api, env: each.wrong, words: [each.refusal]},
        {address: nowhere, env: each.right, words: ["--no-check"]},
      ]) {
        const refused = await runProcess(init(runtime, each.platform, "--api-url", address), {cwd: folder, env})
        expect({code: refused.code, stdout: refused.stdout, left: readdirSync(folder)}).toEqual({
          code: 1,
          stdout: "",
          left: [],
        })
        for (const word of words) expect(refused.stderr).toContain(word)
        for (const secret of Object.values(env)) expect(refused.stderr).not.toContain(secret)
      }
      const line = init(runtime, each.platform, "--api-url", nowhere, "--no-check", "--no-install")
      const made = await runProcess(line, {cwd: folder, env: {...each.right, PATH: npmThat("ends")}})
      expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
      expect(existsSync(join(folder, "my-bot/.env"))).toBe(true)
    },
  )

  test("adds the account to another template, in an empty folder that is there", async () => {
    const folder = makeFolder()
    mkdirSync(join(folder, "my-bot/.git"), {recursive: true})
    const line = init(runtime, "discord", "--template", "moderation", "--no-check", "--no-install")
    const env = {DISCORD_TOKEN: "bot-999.a", PATH: npmThat("ends")}
    expect(await runProcess(line, {cwd: folder, env})).toMatchObject({code: 0, stderr: ""})
    expect(readFileSync(join(folder, "my-bot/svc.config.yml"), "utf8")).toMatch(
      /^ {2}moderation:\n(.*\n)+ {2}discord:\n/m,
    )
  })

  test("asks on a terminal until the token is right, and does not show it", async () => {
    const folder = makeFolder()
    const line = init(runtime, "telegram", "--api-url", (await cases[0]?.start()) ?? "", "--no-install")
    const {output, code} = await onTerminal(line, folder, ["wrong\r", "654321:wrong\r", "123456:a-protocol-fake\r"])
    expect(code).toBe(0)
    expect(output).toContain("checked: @test_bot")
    expect(output).not.toMatch(/wrong|a-protocol-fake/)
    expect(readFileSync(join(folder, "my-bot/.env"), "utf8")).toBe("TELEGRAM_TOKEN=123456:a-protocol-fake\n")
  })

  test.each([
    ["three wrong tokens", ["wrong\r", "\r", "a b\r"]],
    ["Ctrl-C", ["123456\u0003"]],
    ["the end of the input", ["\u0004"]],
  ])("writes nothing on a terminal after %s", async (_, answers) => {
    const folder = makeFolder()
    const line = init(runtime, "telegram", "--api-url", (await cases[0]?.start()) ?? "")
    expect(await onTerminal(line, folder, answers)).toMatchObject({code: 1})
    expect(readdirSync(folder)).toEqual([])
  })

  test.each(["my-bot", "my-bot/.git"])("Ctrl-C during the installation leaves nothing but %s", async held => {
    const folder = makeFolder()
    if (held !== "my-bot") mkdirSync(join(folder, held), {recursive: true})
    const line = init(runtime, "telegram", "--no-check")
    const installing = async () => {
      await until("the installation", () => existsSync(join(folder, "my-bot/node_modules")))
      return "\u0003"
    }
    const env = {TELEGRAM_TOKEN: "123456:a", PATH: npmThat("waits")}
    expect(await onTerminal(line, folder, [installing], env)).toMatchObject({code: 1})
    expect(readdirSync(folder, {recursive: true})).toEqual(held === "my-bot" ? [] : ["my-bot", held])
  })

  test("makes a bot that answers on the fake of Telegram", {timeout: 600_000}, async () => {
    const folder = makeFolder()
    const fake = await closing(startTelegram)
    const name = runtime === onBun ? "bun" : "node"
    const env = {...registryEnvironment, PATH: pathWith(runtime)}
    const began = performance.now()
    const line = [...init(runtime, "telegram", "--api-url", fake.url), "--runtime", name]
    const made = await runProcess(line, {cwd: folder, env: {...env, TELEGRAM_TOKEN: "123456:a-protocol-fake"}})
    expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
    const installed = performance.now()
    const start = [runtime.command[0] ?? "", "node_modules/svc-runtime/cli/launch.js", "runtime", "start"]
    startProcess(start, {cwd: join(folder, "my-bot"), env: {HTTP_PORT: String(await freePort())}})
    await fake.say("/greet Ada")
    await until("the answer", () => fake.sent().some(({text}) => text === "hello Ada"))
    const [toInit, toAnswer] = [installed - began, performance.now() - installed].map(time => (time / 1000).toFixed(1))
    process.stdout.write(`${name}: svc init ${toInit} s, start to answer ${toAnswer} s\n`)
  })
})

type Typed = string | (() => Promise<string>)

/** Runs a command on a terminal, which `script` makes. Types each answer once one more question is there. */
const onTerminal = async (line: readonly string[], cwd: string, answers: readonly Typed[], env = {}) => {
  const shell = `exec ${line.map(quoted).join(" ")}`
  const child = spawn("script", ["-qec", shell, "/dev/null"], {
    cwd,
    env: cleanEnvironment({PATH: npmThat("ends"), ...env}),
  })
  whenOver(() => child.kill("SIGKILL"))
  let output = ""
  child.stdout.setEncoding("utf8").on("data", chunk => {
    output += chunk
  })
  const finished = new Promise<number | null>(resolve => child.on("close", resolve))
  for (const [index, answer] of answers.entries()) {
    if (typeof answer === "string") await until("a question", () => output.split("TELEGRAM_TOKEN: ").length > index + 1)
    child.stdin.write(typeof answer === "string" ? answer : await answer())
  }
  return {code: await finished, output}
}
