import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import type {InboxView} from "../../../../shared/api/messages.ts"
import {probeDuring} from "../../../bench/attacks/probe.ts"
import {cpuSeconds} from "../../../bench/measure/process-stat.ts"
import {percentile} from "../../../bench/measure/statistics.ts"
import {bunAnd, bunOr, pluginWith, startHost, svc, until} from "../../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"

const run = faultRun("raid")

/** What arrives in each step of 20 ms: 500 joins a second, and 10,000 messages a minute. */
const [step, joins, messages] = [20, 10, 10_000 / 60 / 50]

/** Users of another channel, who call one command each. */
const others = 4

const poll = pluginWith(`
    plugin.adapter("poll", {
      history: "none", idempotent: true, account: Type.Object({url: Type.String()}),
      open: async ({url}, endpoint) => {
        const ask = async (path, init = {}) => (await fetch(url + path, {signal: endpoint.signal, ...init})).json()
        const go = async () => {
          for (; !endpoint.signal.aborted; await sleep(5)) {
            const events = await ask("/events")
            if (events.length > 0) await endpoint.receive(events)
          }
        }
        go().catch(error => endpoint.lost(error))
        return {
          send: async ({id, channel, content}) => {
            await ask("/send", {method: "POST", body: JSON.stringify({channel, text: content.join("")})})
            return {ids: [id]}
          },
        }
      },
    })`)

/** It counts who joins, and answers commands. */
const bot = pluginWith(`
    const joined = plugin.state("user", Type.Object({times: Type.Integer({default: 0})}))
    plugin.on("guild-member-added", async session => {
      await session.state(joined).update(({times}) => ({times: times + 1}))
    })
    plugin.command("ping <n>", ({args}) => "pong " + args.n)
    plugin.command("daily", {cooldown: {per: "user", seconds: 86400}}, () => "a reward")`)

/** A platform that hands out what happened since it was last asked. */
const startPlatform = async () => {
  const arrived = new Map<string, number>()
  const answers: {channel: string; text: string}[] = []
  const waiting: object[] = []
  let events = 0
  const {url} = await startStandIn(async (request, response) => {
    response.setHeader("content-type", "application/json")
    if (request.method === "GET") return response.end(JSON.stringify(waiting.splice(0)))
    const answer = JSON.parse(Buffer.concat(await request.toArray()).toString())
    answers.push(answer)
    arrived.set(answer.text, performance.now())
    return response.end("{}")
  })
  const happen = (type: string, user: string, more: object = {}) =>
    waiting.push({id: `e${++events}`, type, user: {id: user}, ...more})
  const say = (user: string, channel: string, content: string) =>
    happen("message-created", user, {channel: {id: channel, type: 0}, message: {id: `m${events}`, content}})
  return {url, answers, arrived, happen, say}
}

test.each(bunOr("node24"))(
  `a raid of ${run.rounds} s is answered once, and others' commands are answered, on $name`,
  async runtime => {
    tellHowToRepeat(run)
    const platform = await startPlatform()
    const config = JSON.stringify({
      http: {port: 0},
      inbox: {limits: {user: "20/1m", channel: "60/1m"}},
      plugins: {bot: {}, poll: {endpoints: [{id: "one", url: platform.url}]}},
    })
    const host = await startHost({own: true, runtime, config, plugins: {bot, poll}})
    const asked = new Map<string, number>()
    const raid = async () => {
      const began = performance.now()
      for (let n = 0; n < (run.rounds * 1000) / step; n++) {
        for (let each = 0; each < joins; each++) platform.happen("guild-member-added", `raider${n * joins + each}`)
        for (let each = Math.floor(n * messages); each < Math.floor((n + 1) * messages); each++)
          platform.say(`raider${each % 500}`, "lobby", `/ping raid-${each}`)
        if (n % 10 === 0) {
          asked.set(`pong ${n}`, performance.now())
          platform.say(`friend${n}`, `home${n % others}`, `/ping ${n}`)
        }
        await sleep(Math.max(0, began + (n + 1) * step - performance.now()))
      }
      await until("others to be answered", () => [...asked.keys()].every(text => platform.arrived.has(text)))
    }
    const port = Number(new URL(host.url).port)
    const calm = await probeDuring(port, sleep(1000))
    const before = cpuSeconds(host.process.pid)
    const health = await probeDuring(port, raid())
    const busy = cpuSeconds(host.process.pid) - before
    const times = [...asked].map(([text, at]) => (platform.arrived.get(text) ?? 0) - at)
    const [p99, slowest] = [percentile(health, 0.99), Math.max(...times)]
    const figures = {
      "health p99, ms": Math.round(p99),
      "calm, ms": Math.round(percentile(calm, 0.99)),
      "slowest answer, ms": Math.round(slowest),
      "CPU, s": Math.round(busy * 10) / 10,
    }
    process.stdout.write(`raid of ${run.rounds} s on ${runtime.name}: ${JSON.stringify(figures)}\n`)
    const ran = await until("the raid to be handled", async () => {
      const {items} = await host.get("/api/inbox", {state: "open", limit: 1})
      return items.length === 0 && platform.answers.filter(({channel}) => channel === "lobby")
    })
    const {items} = await host.get("/api/inbox", {limited: "true", limit: 5})
    expect(items.every(({event}) => event.channel?.id === "lobby")).toBe(true)
    expect(items).toHaveLength(5)
    expect(ran.filter(({text}) => !text.startsWith("pong"))).toHaveLength(1)
    if (process.env.SVC_FAULT === run.name) expect([p99 <= 100, slowest <= 2000]).toEqual([true, true])
  },
)

test.each(bunAnd("node24"))("kill -9 resets no daily reward and no limit, on $name", async runtime => {
  const config = JSON.stringify({http: {port: 0}, inbox: {limits: {user: "3/1h"}}, plugins: {bot: {}, sandbox: {}}})
  const options = {own: true, runtime, config, plugins: {bot}}
  const first = await startHost(options)
  expect(await first.say("/daily")).toEqual(["a reward"])
  expect(await first.say("/ping 1", {user: "bob"})).toEqual(["pong 1"])
  await first.stop("SIGKILL")
  const host = await startHost({...options, project: first.project})
  expect(await host.say("/daily")).not.toContain("a reward")
  for (const n of [2, 3, 4, 5]) await host.say(`/ping ${n}`, {user: "bob"})
  const listed = await svc(runtime, host.project, ["inbox", "list", "--limited", "--json"])
  const texts = JSON.parse(listed.stdout).items.map(({event}: InboxView) => event.message?.content)
  expect(texts).toEqual(["/ping 5", "/ping 4"])
})
