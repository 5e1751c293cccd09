import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {readNumber} from "../../../../server/database/engine/cells.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {askedBy, FastClock} from "../../../support/agents/engine.ts"
import {type ScriptedAnswer, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {until} from "../../../support/host/process.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {converse} from "./conversation.ts"

const run = faultRun("fallbacks")
const {rounds, seed} = run

const cut: ScriptedAnswer = {text: "Once upon", cut: true}
const passing: readonly ScriptedAnswer[] = [
  {status: 429, headers: {"retry-after": "120"}},
  {status: 429, headers: {"retry-after": "2"}},
  {status: 500},
  {status: 503},
  cut,
  {cut: true},
  {text: "Once upon", hang: "text"},
  {hang: "before"},
  {hang: "headers"},
]
const lasting: readonly ScriptedAnswer[] = [
  ...passing,
  {status: 400},
  {status: 401},
  {status: 402},
  {status: 404},
  {text: ""},
  {body: "<html></html>"},
]

/** How often a model fails, and how: the last one never refuses a call. */
const models: Readonly<Record<string, {readonly often: number; readonly faults: readonly ScriptedAnswer[]}>> = {
  first: {often: 0.9, faults: lasting},
  second: {often: 0.4, faults: lasting},
  third: {often: 0.2, faults: passing.filter(({hang}) => hang === undefined)},
}

const usage = {input: 100, output: 10}
const together = 40

test(
  `of the runs with ${rounds} failures of three models, each ends with its answer (seed ${seed})`,
  async () => {
    tellHowToRepeat(run)
    const chance = new Chance(seed)
    const injected = new Map<string, number>()
    let answered = 0
    const server = await startScriptedModel(({model, messages}) => {
      const {often = 0, faults = []} = models[model] ?? {}
      if (chance.next() < often) {
        injected.set(model, (injected.get(model) ?? 0) + 1)
        return chance.pick(faults)
      }
      answered++
      return {text: `${messages.at(-1)?.text} is done`, usage}
    })
    const [first = "", ...others] = Object.keys(models)
    // The silence that a model may keep is still 375 ms long: a busy machine needs them.
    const clock = new FastClock(40)
    const talk = await converse({
      script: [],
      clock,
      settings: {
        model: first,
        baseURL: server.url,
        models: others.map(model => ({provider: "openai-compatible", model, baseURL: server.url})),
        limits: {...usualLimits, parallel: together, steps: 1000, seconds: 1e9, output: 100},
      },
    })
    const began = performance.now()
    const failures = () => [...injected.values()].reduce((sum, count) => sum + count, 0)
    let asked = 0
    const {agents, database} = talk
    const open = () => readNumber(database, "SELECT count(*) FROM agent_runs WHERE ended_at IS NULL")
    while (failures() < rounds) {
      for (let count = await open(); count < together; count++) {
        const word = `word${asked++}`
        // Now and then, no model rests any longer.
        if (asked % 8 === 0) clock.skip(3_600_000)
        await agents.queue(askedBy(word, word))
      }
      await sleep(50)
    }
    await until("all runs to end", async () => (await open()) === 0)
    const lost = await database.read(
      "SELECT input, state, reason, error FROM agent_runs WHERE answer IS NOT input || ' is done'",
    )
    expect(lost).toEqual([])
    const [told] = await database.read(
      "SELECT count(*) AS n, count(DISTINCT content) AS texts FROM outbox WHERE content LIKE '% is done%'",
    )
    expect(told?.n).toBe(asked)
    const [spent] = await database.read(
      "SELECT sum(runs) AS runs, sum(tokens) AS tokens FROM agent_spending WHERE subject = ''",
    )
    expect(spent?.runs).toBe(asked)
    expect(Number(spent?.tokens)).toBeGreaterThanOrEqual(answered * (usage.input + usage.output))
    const byModel = await database.read("SELECT name, count(*) AS n FROM agent_steps GROUP BY name ORDER BY name")
    expect(byModel.map(({name}) => name)).toEqual(Object.keys(models))
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const ends = byModel.map(({name, n}) => `${name} ${n}`).join(", ")
    process.stdout.write(`${asked} runs, ${failures()} failures, 0 lost, in ${seconds} s; answered by ${ends}\n`)
  },
  60_000 + rounds * 60,
)
