import {readdirSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, onTestFinished, test} from "vitest"
import {
  Chance,
  eventOf,
  pluginWith,
  reload,
  runtimes,
  startHost,
  type TestHost,
  until,
} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {inboxOf} from "../../support/messages/inbox.ts"

const run = faultRun("reload-load")

/** 50 messages a second in 20 conversations. About five handlers run at any moment. */
const pause = 20
const conversations = 20

/** A stand-in for a bot's work: a handler and two commands, each with one reply after 100 ms. */
const slowPlugin = (edition: number) =>
  pluginWith(`// edition ${edition}
    plugin.command("work", async () => {
      await sleep(100)
      return "done"
    })
    plugin.command("picture", async () => {
      await sleep(100)
      return h("file", {src: randomBytes(30_000), title: "done.bin"})
    })
    plugin.on("message-created", async () => {
      await sleep(100)
      return "heard"
    })`).replace("import {definePlugin,", 'import {randomBytes} from "node:crypto"\nimport {definePlugin, h,')

const startMessages = (host: TestHost) => {
  const accepted: Promise<number>[] = []
  const timer = setInterval(() => {
    const channel = `c${accepted.length % conversations}`
    const text = accepted.length % 8 === 0 ? "/picture" : accepted.length % 2 === 0 ? "/work" : "not a command"
    const message = {text, channel}
    const answer = host.plugin<{sn: number}>("/api/plugins/sandbox/messages", message)
    answer.catch(() => {})
    accepted.push(answer.then(({sn}) => sn))
  }, pause)
  const stop = () => {
    clearInterval(timer)
    return Promise.all(accepted)
  }
  onTestFinished(() => clearInterval(timer))
  return {accepted, stop}
}

const statesOf = async (host: TestHost): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const {state} of await inboxOf(host)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

test.each(runtimes)(
  "editing a plugin under load fails and loses no message, on $name",
  {timeout: 1_200_000},
  async runtime => {
    tellHowToRepeat(run)
    const chance = new Chance(run.seed)
    const plugins = {slow: slowPlugin(0)}
    const host = await startHost({
      runtime,
      config: "http: {port: 0}\nlog_level: warn\nplugins:\n  sandbox: {}\n  slow: {}\n",
      plugins,
      args: ["--no-watch"],
    })
    const messages = startMessages(host)
    await until("the first messages to be accepted", () => messages.accepted.length > 5)
    for (let round = 1; round <= run.rounds; round++) {
      host.project.write("plugins/slow.ts", slowPlugin(round))
      expect(await reload(host)).toEqual({committed: true, generation: round + 1})
      await sleep(chance.below(250))
    }
    // The running code, and the code before it, which the next change removes.
    expect(readdirSync(host.project.path(".svc/tmp/plugins")).length).toBeLessThanOrEqual(2)
    const accepted = await messages.stop()
    expect(new Set(accepted).size).toBe(accepted.length)
    // A machine without a free core receives faster than it handles.
    const states = await until(
      "every handler to end",
      async () => {
        const {pending = 0, running = 0, ...ended} = await statesOf(host)
        return pending + running === 0 && ended
      },
      600_000,
    )
    const failed = (await inboxOf(host)).filter(({state}) => state === "failed")
    const errors = await Promise.all(failed.map(async ({seq}) => (await eventOf(host, seq)).marks))
    expect({states, errors}).toEqual({states: {handled: accepted.length}, errors: []})
  },
)
