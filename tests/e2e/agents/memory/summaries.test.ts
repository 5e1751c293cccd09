import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {readRows, runOf, runsOf} from "../../../support/agents/host.ts"
import {askIn, memoriesIn, memoryConfig} from "../../../support/agents/memory.ts"
import type {ModelQuestion} from "../../../support/agents/question.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {bunOr, makeProject, startHost, type TestHost, tell, until} from "../../../support/host/host.ts"

const long = (text: string) => `${text} ${"It was a long way to get there. ".repeat(12)}`

const isSummary = ({last}: ModelQuestion) => last.text === "Summarize this conversation."

/** Sums up a conversation by the words in capitals that its user wrote; answers "ok" otherwise. */
const summing = (question: ModelQuestion) => {
  if (!isSummary(question)) return {text: "ok"}
  const said = question.messages.filter(({role}) => role === "user").map(({text}) => text)
  const words =
    said
      .slice(0, -1)
      .join(" ")
      .match(/\b[A-Z]{4,}\b/g) ?? []
  return {text: words.length === 0 ? "nothing" : `Stated: ${words.join(" ")}.`}
}

const configOf = (url: string, summary = "1s", limits = "user: none") =>
  memoryConfig(url).replace("channel: 30d,", `channel: 30d, summary: ${summary},`).replace("user: none", limits)

const startSumming = async (summary?: string, limits?: string) => {
  const model = await startScriptedModel(summing)
  const host = await startHost({config: configOf(model.url, summary, limits)})
  const ask = (user: string, text: string, channel?: string) => askIn(host, user, text, channel)
  const seen = async (user: string, channel?: string) => {
    await ask(user, "hm?", channel)
    return memoriesIn(model.requests.findLast(question => question.last.text === "hm?"))
  }
  return {host, model, ask, seen}
}

const summariesOf = async (host: TestHost, count: number) =>
  until(`${count} summaries to end`, async () => {
    const runs = (await runsOf(host)).filter(({trigger}) => trigger === "summary")
    return (
      runs.length === count &&
      runs.every(({endedAt}) => endedAt !== null) &&
      Promise.all(runs.map(({runId}) => runOf(host, runId)))
    )
  })

describe("a summary", () => {
  test("of a conversation that rests is noted once, and said to nobody", async () => {
    const {host, model, ask, seen} = await startSumming()
    await ask("ada", long("My tea is ROOIBOS."))
    await ask("ada", "And my dog is called QUETZAL.")
    const [run] = await summariesOf(host, 1)
    expect(run).toMatchObject({state: "succeeded", reason: null, answer: "Stated: ROOIBOS QUETZAL.", steps: 1})
    const asked = model.requests.find(isSummary)
    expect(asked?.tools).toEqual([])
    expect(asked?.messages).toHaveLength(5)
    expect(await seen("ada")).toEqual([
      expect.stringMatching(/^Memory 1, 0 hours old, .+ "ada": "Stated: ROOIBOS QUETZAL\."$/),
    ])
    expect(await seen("bob")).toEqual([])
    expect(await seen("ada", "#one")).toEqual([])
    const {calls} = await host.get("/api/runs/:id/context", {id: run?.runId ?? ""})
    expect(calls[0]).toMatchObject({exact: true, state: "done"})
    // What is too short needs none, and a later summary is about what is new.
    await sleep(1500)
    await ask("ada", long("I moved to LISBON."))
    expect((await summariesOf(host, 2)).at(-1)?.answer).toBe("Stated: LISBON.")
    await host.stop()
    expect(await readRows(host.project, "SELECT count(*) AS n FROM outbox WHERE content LIKE '%Stated%'")).toEqual([
      {n: 0},
    ])
    const spent = "SELECT sum(runs) AS runs FROM agent_spending WHERE subject = ''"
    expect(await readRows(host.project, spent)).toEqual([{runs: 6}])
    const of = "SELECT since, run, scope FROM agent_memories ORDER BY seq"
    expect(await readRows(host.project, of)).toMatchObject([{since: 1, run: 2, scope: "user"}, {scope: "user"}])
  })

  test("stays in its channel, and a conversation without news has none", async () => {
    const {host, ask, seen} = await startSumming()
    await ask("ada", long("The code is WALRUS."), "#one")
    await ask("bob", long("nothing of note"), "#one")
    await summariesOf(host, 2)
    expect(await seen("ada", "#one")).toHaveLength(1)
    expect(await seen("ada", "#two")).toEqual([])
    expect(await seen("bob", "#one")).toEqual([])
    expect(await seen("ada")).toHaveLength(1)
  })

  test("goes with a note of the same messages, and takes its messages with it", async () => {
    const {host, model, ask} = await startSumming()
    model.follow(question =>
      question.last.text.startsWith("note ")
        ? {calls: [{name: "remember", args: {about: "user", text: "ZANZIBAR"}}]}
        : summing(question),
    )
    await ask("ada", long("note ZANZIBAR"))
    await ask("ada", "And KUMQUAT.")
    await summariesOf(host, 1)
    const forget = async (which: string) => {
      const texts = async () => (await host.get("/api/outbox", {limit: 50})).items.length
      const before = await texts()
      await tell(host, {user: "ada", channel: "@ada", text: `/forget ${which}`})
      await until("a reply", async () => (await texts()) > before)
    }
    await forget("1")
    await ask("cleo", long("My boat is PELICAN."))
    await summariesOf(host, 2)
    await host.post("/api/users/forget", {body: {endpoint: "sandbox", user: "cleo"}})
    await host.stop()
    expect(await readRows(host.project, "SELECT text FROM agent_memories")).toEqual([])
    const left =
      "SELECT count(*) AS n FROM agent_runs WHERE input || coalesce(answer, '') LIKE '%ZANZIBAR%' OR answer LIKE '%PELICAN%'"
    expect(await readRows(host.project, left)).toEqual([{n: 0}])
    expect(await readRows(host.project, "SELECT count(*) AS n FROM agent_steps WHERE output LIKE '%Stated%'")).toEqual([
      {n: 0},
    ])
  })

  test("that is being written is cancelled when its messages are forgotten", async () => {
    const {host, model, ask} = await startSumming()
    model.follow(question => {
      if (question.last.text.startsWith("note "))
        return {calls: [{name: "remember", args: {about: "user", text: "ZANZIBAR"}}]}
      return {...summing(question), delay: isSummary(question) ? 1500 : 0}
    })
    await ask("ada", long("note ZANZIBAR"))
    await until("the summary to be asked for", async () => model.requests.some(isSummary))
    await tell(host, {user: "ada", channel: "@ada", text: "/forget 1"})
    expect(await summariesOf(host, 1)).toMatchObject([{state: "cancelled", answer: null}])
    await sleep(1600)
    await host.stop()
    expect(await readRows(host.project, "SELECT text FROM agent_memories")).toEqual([])
    expect(await readRows(host.project, "SELECT output FROM agent_steps WHERE output LIKE '%ZANZ%'")).toEqual([])
  })

  test("is left out without a word when the day has no tokens for it", async () => {
    const {host, model, ask} = await startSumming("1s", "user: none, day: {tokens: 5500}")
    model.follow(question => ({...summing(question), usage: {input: 2400, output: 10}}))
    const before = await ask("ada", long("My tea is ROOIBOS."))
    expect(before.state).toBe("succeeded")
    expect(await summariesOf(host, 1)).toMatchObject([{state: "succeeded", reason: "limit_day", answer: null}])
    expect(model.requests.filter(isSummary)).toEqual([])
  })

  test("waits while ingress is paused", async () => {
    const {host, ask} = await startSumming()
    await ask("ada", long("My tea is ROOIBOS."))
    await host.post("/api/ingress/pause", {body: {}})
    await sleep(2000)
    expect((await runsOf(host)).filter(({trigger}) => trigger === "summary")).toEqual([])
    await host.post("/api/ingress/resume", {})
    await summariesOf(host, 1)
  })
})

const kills = 6

describe.each(bunOr("node24"))("on $name", runtime => {
  test("kill -9 leads to exactly one summary of each conversation", async () => {
    const model = await startScriptedModel(question => ({...summing(question), delay: isSummary(question) ? 400 : 5}))
    const project = makeProject({config: configOf(model.url)})
    for (let life = 0; life <= kills; life++) {
      const host = await startHost({own: true, runtime, project})
      for (let n = 0; n < 4; n++)
        await tell(host, {user: `u${life}x${n}`, channel: `@u${life}x${n}`, text: long("My tea is ROOIBOS.")})
      if (life < kills) {
        await sleep(900 + life * 130)
        await host.stop("SIGKILL")
      } else {
        await summariesOf(host, 4 * (kills + 1))
        await host.stop()
      }
    }
    const rows = await readRows(
      project,
      "SELECT count(*) AS n, count(DISTINCT user) AS users, sum(since > 0) AS summaries FROM agent_memories",
    )
    expect(rows).toEqual([{n: 28, users: 28, summaries: 28}])
    const again = await readRows(
      project,
      "SELECT sum(begun > 1) AS n FROM agent_steps s JOIN agent_runs r ON r.seq = s.run WHERE r.cause = 'summary'",
    )
    process.stdout.write(`${kills} kills, 28 summaries, ${Number(again[0]?.n)} model calls of summaries repeated\n`)
  }, 120_000)
})
