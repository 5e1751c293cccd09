import {transformSync} from "esbuild"
import {describe, expect, test} from "vitest"
import {readDocuments} from "../../support/docs/documents.ts"
import {makeProject, onBun, runProcess, startProcess, until} from "../../support/host/host.ts"
import {startDiscord, startTelegram} from "../../support/platforms/fakes.ts"
import {installedFrameworks, linkFrameworks} from "../../support/platforms/frameworks.ts"
import {idiomBots} from "../../support/platforms/idiom-bots.ts"

const page = readDocuments().find(({path}) => path === "docs/coming-from.md")

/** A framework's idioms. Koishi's are CommonJS, made by its own loader: its ES modules do not load in Node. */
const filesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    (page?.fences ?? [])
      .filter(({file}) => file.startsWith(`${name}/`))
      .map(({file, text}) =>
        name === "koishi"
          ? [file.replace(/\.ts$/, ".cjs"), transformSync(text, {loader: "ts", format: "cjs"}).code]
          : [file, text],
      ),
  )

interface Step {
  /** A command starts with a slash here, and is sent in the framework's own form. */
  readonly says: string
  readonly user?: string
  /** The bot's answers in the user's chat. */
  readonly hears: readonly string[]
  /** Repeat the message until the bot answers: a framework accepts none before it knows that its question was sent. */
  readonly again?: boolean
}

const steps: readonly Step[] = [
  {says: "/name", hears: ["What is your name?"]},
  {says: "Ada", hears: ["Hello, Ada."], again: true},
  {says: "/remind 0.2 tea", hears: ["I will.", "tea"]},
]
const count: readonly Step[] = [
  {says: "/count", hears: ["1"]},
  {says: "/count", hears: ["2"]},
  {says: "/count", user: "43", hears: ["1"]},
]
const frameworks = [
  {name: "koishi", prefix: "/", platform: startTelegram, steps: [...steps, ...count]},
  {name: "grammy", prefix: "/", platform: startTelegram, steps: [...steps, ...count]},
  {name: "discord", prefix: "!", platform: startDiscord, steps: [...steps]},
  {name: "hubot", prefix: "bot ", platform: startTelegram, steps: [...steps, ...count]},
]

/** The same steps for svc, as a test of an author. */
const ownTest = `
import assert from "node:assert/strict"
import {test} from "node:test"
import {startBot} from "svc-runtime/test"
import count from "./plugins/count.ts"
import name from "./plugins/name.ts"
import remind from "./plugins/remind.ts"

test("the bot answers", async () => {
  const bot = await startBot({plugins: {count: {plugin: count}, name: {plugin: name}, remind: {plugin: remind}}})
  try {
    for (const {says, user = "42", hears} of ${JSON.stringify([...steps, ...count])}) {
      const answers = await bot.say(says, {user})
      assert.deepEqual(answers, hears.slice(0, answers.length))
      for (const text of hears.slice(answers.length)) {
        await bot.clock.advance(1)
        assert.equal((await bot.messages()).at(-1)?.text, text)
      }
    }
  } finally {
    await bot.close()
  }
})
`

test("the idioms of svc do what the page says", async () => {
  const project = makeProject({files: {...filesOf("plugins"), "idioms.test.ts": ownTest}})
  const {code, stderr} = await runProcess([onBun.command[0] ?? "", "test", "--timeout=120000"], {cwd: project.folder})
  expect({code, output: stderr}).toMatchObject({code: 0, output: expect.stringContaining(" 1 pass\n 0 fail")})
})

describe.skipIf(!installedFrameworks.install())("docs/coming-from.md", () => {
  test.each(frameworks)("the idioms of $name do what the page says", async ({name, prefix, platform, steps}) => {
    const project = makeProject({files: {...filesOf(name), [`${name}/main.mjs`]: idiomBots[name] ?? ""}})
    linkFrameworks(project)
    const fake = await platform()
    const env = {PLATFORM: fake.url}
    const bot = startProcess([process.execPath, project.path(name, "main.mjs")], {cwd: project.folder, env})
    await until("the bot to be there", () => fake.arrivals() > (name === "koishi" ? 1 : 0))

    const expected: {chat: string; text: string}[] = []
    for (const {says, user = "42", hears, again = false} of steps) {
      expected.push(...hears.map(text => ({chat: user, text})))
      const isHeard = () => fake.sent().length >= expected.length
      let tries = 0
      await until(
        `an answer to ${says}`,
        () => {
          if (tries++ === 0 || (again && tries % 30 === 0 && !isHeard()))
            fake.say({text: says.replace(/^\//, prefix), user})
          return isHeard()
        },
        20_000,
      ).catch(error => {
        throw new Error(`${error.message}\n${JSON.stringify(fake.sent())}\n${bot.output()}`)
      })
    }
    expect(fake.sent().map(({chat, text}) => ({chat, text}))).toEqual(expected)
  })
})
