import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import type {FakePlatform} from "../../../server/testing/platforms/fake/platform.ts"
import {readDocuments} from "../../support/docs/documents.ts"
import {makeProject, type Running, startHost, startProcess, svc, until, usualRuntime} from "../../support/host/host.ts"
import {failingBots, failingPlugin} from "../../support/platforms/failing-bots.ts"
import {startDiscord, startTelegram} from "../../support/platforms/fakes.ts"
import {installedFrameworks, linkFrameworks} from "../../support/platforms/frameworks.ts"

const rows = {
  killed: "`kill -9` in the middle of a handler",
  down: "A message arrives while the process is down",
  network: "A reply while the network is offline for three seconds",
  question: "A question over a restart",
  reminder: "A reminder over a restart",
  repeat: "The platform delivers a message twice",
  throw: "A handler throws",
  broken: "A plugin's configuration is wrong",
  two: "A second process with the same token",
  limit: "429, with one second to wait",
  long: "A text of 5,000 characters",
  edit: "An edit of a sent message",
}
const columns = ["svc", "Koishi", "grammY", "discord.js"] as const

/** The words that the page prints in bold, in the column of a framework. */
const verdictsOf = (column: (typeof columns)[number]): Record<string, string | undefined> => {
  const page = readDocuments().find(({path}) => path === "docs/coming-from.md")
  const table = page?.text.split("\n").filter(line => line.startsWith("| ")) ?? []
  const cellOf = (label: string) =>
    table.map(line => line.split(" | ")).find(([first]) => first === `| ${label}`)?.[columns.indexOf(column) + 1]
  return Object.fromEntries(
    Object.entries(rows).map(([key, label]) => [key, /\*\*(.+?)\*\*/.exec(cellOf(label) ?? "")?.[1]]),
  )
}

/** A bot on a fake platform, whose process a test kills and starts. */
interface Bot {
  readonly platform: FakePlatform
  /** Whether its messages may arrive after its later messages to another chat: then the test waits for each. */
  readonly isPatient: boolean
  /** Starts a process. Resolves once it is on the platform. */
  start(env?: Readonly<Record<string, string>>): Promise<Running>
  /** Starts another process with the same token beside the first. Resolves once it connects or has ended. */
  startSecond(): Promise<Running>
  /** Breaks a plugin or file. Resolves to the verdict: the running process continues, or the next one starts. */
  break(running: Running): Promise<string>
}

const scriptBot = async (name: "koishi" | "grammy" | "discord"): Promise<Bot> => {
  const project = makeProject({files: {"main.mjs": failingBots[name]}})
  linkFrameworks(project)
  const platform = name === "discord" ? await startDiscord() : await startTelegram()
  const launch = (env: Readonly<Record<string, string>> = {}) =>
    startProcess([process.execPath, project.path("main.mjs")], {
      cwd: project.folder,
      env: {PLATFORM: platform.url, ...env},
    })
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    // Koishi's adapter fetches waiting messages once and drops them, before it polls.
    const arrivals = platform.arrivals() + (name === "koishi" ? 2 : 1)
    const running = launch(env)
    await until("the bot to be there", () => platform.arrivals() >= arrivals || hasEnded(running))
    return running
  }
  return {
    platform,
    isPatient: false,
    start,
    startSecond: async () => {
      const second = launch()
      // The first process polls as well, so polls do not show that the second is there.
      await until("it to connect", () => second.output().includes("connecting"))
      return second
    },
    break: async running => {
      await kill(running)
      return hasEnded(await start({BROKEN: "1"})) ? "does not start" : "starts"
    },
  }
}

const svcBot = async (): Promise<Bot> => {
  const platform = await startTelegram()
  const configFor = (greeting: string) =>
    JSON.stringify({
      http: {port: 0},
      plugins: {
        telegram: {endpoints: [{id: "main", token: "${BOT_TOKEN}", apiRoot: platform.url}]},
        words: {config: {greeting}},
      },
    })
  const files = {".env": "BOT_TOKEN=999:token\n"}
  const project = makeProject({config: configFor("Hello"), plugins: {words: failingPlugin}, files})
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const arrivals = platform.arrivals() + 1
    const host = await startHost({own: true, project, env})
    await until("the bot to be there", () => platform.arrivals() >= arrivals)
    return host.process
  }
  return {
    platform,
    isPatient: true,
    start,
    startSecond: async () => {
      const second = startProcess([...usualRuntime.command, "runtime", "start"], {cwd: project.folder})
      await second.finished
      return second
    },
    break: async running => {
      project.write("svc.config.yml", configFor("Hello").replace('"greeting":"Hello"', '"greting":"Hello"'))
      const reloaded = await svc(usualRuntime, project, ["runtime", "reload"])
      return reloaded.code !== 0 && !hasEnded(running) ? "goes on as it was" : "ends"
    },
  }
}

const hasEnded = ({child}: Running) => child.exitCode !== null || child.signalCode !== null

const kill = async (running: Running) => {
  running.child.kill("SIGKILL")
  await running.finished
}

/** Returns what a bot does in each failure, in the words of the page's table. */
const observe = async ({platform, start, startSecond, isPatient, ...bot}: Bot): Promise<Record<string, string>> => {
  const textsIn = (chat: string) => platform.sent().flatMap(each => (each.chat === chat ? [each.text] : []))
  const timesOf = (chat: string, text: string) => textsIn(chat).filter(each => each === text).length
  let fences = 0
  /** Waits until earlier messages are processed: a later one is answered. Resolves to false if the process ended. */
  const fence = async (running: Running): Promise<boolean> => {
    const chat = String(9000 + ++fences)
    platform.say({text: "hello", user: chat})
    await until("the fence", () => timesOf(chat, "hi") > 0 || hasEnded(running))
    return !hasEnded(running)
  }
  /** Runs the fence twice: a process that an earlier message kills may still answer a later one. */
  const settled = async (process: Running) => (await fence(process)) && fence(process)
  let running = await start({HANG: "1"})
  /** Resolves to whether a chat has received this text, once all earlier messages are processed. */
  const comes = async (chat: string, text: string): Promise<boolean> => {
    if (isPatient) await until(text, () => timesOf(chat, text) > 0)
    else if (timesOf(chat, text) === 0) await settled(running)
    return timesOf(chat, text) > 0
  }
  const again = async () => {
    if (hasEnded(running)) running = await start({HANG: "1"})
  }
  const seen: Record<string, string> = {}

  platform.slowDown(1000)
  platform.say({text: "hello", user: "10"})
  const sends = () =>
    platform.requests.received.filter(({method}) => /^(sendMessage|POST .*messages)$/.test(method)).length
  await until("the limit to be reached", () => sends() > 0)
  // The platform asks to wait for one second.
  await sleep(1500)
  seen.limit = (await comes("10", "hi")) ? "sent later" : "lost"
  await again()

  platform.say({text: "long", user: "11"})
  await settled(running)
  const isLong = () => textsIn("11").join("").length > 4900
  if (isPatient) await until("the whole long text", isLong)
  seen.long = isLong() ? "sent in parts" : "refused"
  await again()

  platform.say({text: "edit", user: "12"})
  await until("the edit", () => timesOf("12", "final") > 0)
  seen.edit = "edited"

  platform.say({text: "hello", user: "13"})
  await until("the first answer", () => timesOf("13", "hi") > 0)
  platform.repeat()
  await fence(running)
  seen.repeat = timesOf("13", "hi") > 1 ? "answered twice" : "answered once"

  const before = sends()
  platform.requests.isLosing = true
  platform.say({text: "hello", user: "14"})
  await until("a send to be lost", () => sends() > before)
  // The network is offline for this time.
  await sleep(3000)
  platform.requests.isLosing = false
  await again()
  seen.network = (await comes("14", "hi")) ? "sent later" : "lost"
  await again()

  platform.say({text: "throw", user: "15"})
  seen.throw = (await settled(running)) ? "goes on" : "ends"
  await again()

  platform.say({text: "ask", user: "16"})
  await until("the question", () => timesOf("16", "name?") > 0)
  platform.say({text: "remind", user: "17"})
  await until("the reminder to be set", () => timesOf("17", "set") > 0)
  platform.say({text: "slow", user: "18"})
  await until("the handler to start", () => running.output().includes("begun"))
  await kill(running)
  expect(timesOf("17", "tea")).toBe(0)
  platform.say({text: "hello", user: "19"})
  const killed = performance.now()

  running = await start()
  await fence(running)
  platform.say({text: "Ada", user: "16"})
  await until("the time of the reminder to pass", () => performance.now() - killed > 5000)
  seen.killed = (await comes("18", "slow done")) ? "runs again" : "lost"
  seen.down = (await comes("19", "hi")) ? "answered" : "lost"
  seen.question = (await comes("16", "hello Ada")) ? "goes on" : "lost"
  seen.reminder = (await comes("17", "tea")) ? "comes" : "lost"

  // Koishi's second process gives up after seven refused polls in a row, if it has received nothing before.
  const talk = setInterval(() => platform.say({text: "hello", user: "20"}), 25)
  const second = await startSecond()
  await until("an answer", () => timesOf("20", "hi") > 0)
  await until("one to end", () => hasEnded(running) || hasEnded(second), 4000).catch(() => {})
  clearInterval(talk)
  seen.two = hasEnded(running) || hasEnded(second) ? "one ends" : "both go on"
  const left = [running, second].find(each => !hasEnded(each)) ?? running
  if (left === running) await kill(second)
  else await kill(running)
  seen.broken = await bot.break(left)
  return seen
}

describe.skipIf(!installedFrameworks.install())("docs/coming-from.md says what happens when something fails", () => {
  const bots = [
    ["svc", svcBot],
    ["Koishi", () => scriptBot("koishi")],
    ["grammY", () => scriptBot("grammy")],
    ["discord.js", () => scriptBot("discord")],
  ] as const
  test.each(bots)("to %s", async (name, make) => expect(await observe(await make())).toEqual(verdictsOf(name)))
})
