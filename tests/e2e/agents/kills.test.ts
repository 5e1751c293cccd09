import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {table} from "../../../cli/kit/print.ts"
import {startLoopback} from "../../support/adapters/loopback.ts"
import {bunAnd, killStarting, startHost, type TestRuntime} from "../../support/host/host.ts"
import type {Project} from "../../support/host/project.ts"
import {Chance, faultRun, seedOf, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {readRows} from "../../support/messages/inbox-ledger.ts"
import {untilIdle, untilOpen} from "../../support/messages/messages.ts"
import {agentProject, startModel, startWorld, toolNames, usage} from "./kill-world.ts"

const run = faultRun("agent-kills")
const {rounds, seed} = run

/** How long to wait for anything that a Host does, in milliseconds. The machine may be busy. */
const patience = 120_000

/** Runs that may be open when a round continues. */
const mostOpen = 12

const meet = async (runtime: TestRuntime) => {
  const [platform, world, model] = await Promise.all([startLoopback(), startWorld(), startModel()])
  const project = agentProject(platform, world, model)
  const chance = new Chance(seedOf(seed, runtime.name))
  const words: string[] = []
  const speak = () => {
    const word = `word${words.length}`
    words.push(word)
    platform.say(word, word, {user: word, channel: `@${word}`})
  }
  /** The answers, without the note of a fallback. */
  const answers = () => platform.deeds.map(deed => deed.replace(/\n.*$/s, "")).filter(deed => deed.endsWith(" is done"))
  return {
    runtime,
    platform,
    world,
    model,
    project,
    chance,
    words,
    speak,
    open: () => words.length - new Set(answers()).size,
    answers,
  }
}

type Scene = Awaited<ReturnType<typeof meet>>

/** Starts the Host and kills it, either during its start or while its runs call models and tools. */
const killOnce = async ({runtime, project, chance, speak, open}: Scene): Promise<void> => {
  const options = {runtime, project, patience}
  speak()
  project.write("mode", chance.below(4) === 0 ? "changed" : "calm")
  if (chance.below(5) === 0) return killStarting(options, chance.below(600))
  const host = await startHost({own: true, ...options})
  await untilOpen(host, mostOpen, open)
  speak()
  await sleep(20 + chance.below(250))
  await host.stop("SIGKILL")
}

interface Outcome {
  readonly runtime: string
  readonly runs: number
  readonly kills: number
  readonly unknown: number
  /** Model calls, and the number of them that repeated an earlier call. */
  readonly asked: number
  readonly again: number
}

/** Runs a last Host to the end. Each effect must have happened once, or its call be recorded as interrupted. */
const settle = async (scene: Scene, kills: number): Promise<Outcome> => {
  const {runtime, platform, world, model, project, words, open} = scene
  const host = await startHost({own: true, runtime, project, patience})
  await untilOpen(host, 0, open).catch(() => {})
  await untilIdle(host)
  expect((await host.stop()).code).toBe(0)
  const rows = (sql: string) => readRows(project.path(".svc/data.sqlite"), sql)
  const runs = await rows("SELECT seq, run_id, input, state, reason FROM agent_runs ORDER BY seq")
  expect(runs.filter(({state}) => state !== "succeeded")).toEqual([])
  expect(runs.map(({input}) => input).sort()).toEqual([...words].sort())

  const stored = await rows(
    "SELECT run, name, state, effect, input, error FROM agent_steps WHERE kind = 'tool' ORDER BY run, n",
  )
  // A call of a tool that its MCP server has changed is one of an unknown tool.
  const steps = stored.map(step => (step.name === "(unknown)" ? {...step, name: "put.add"} : step))
  for (const name of toolNames) expect(steps.filter(step => step.name === name)).toHaveLength(runs.length * 2)
  expect(steps).toHaveLength(runs.length * 2 * toolNames.length)
  const whatOf = ({input}: {readonly input?: unknown}): string => {
    const {what, text} = JSON.parse(String(input))
    return what ?? text
  }
  const callsOf = (name: string, isDone: boolean) =>
    steps
      .filter(step => step.name === name && (step.state === "done") === isDone)
      .map(whatOf)
      .sort()
  const notes = (await rows("SELECT what FROM p_toolbox_notes")).map(({what}) => String(what)).sort()
  expect(notes).toEqual(callsOf("toolbox.note", true))
  const news = platform.deeds.filter(deed => deed.startsWith("notes: ")).map(deed => deed.slice("notes: ".length))
  expect(news.sort()).toEqual(notes)
  expectOnce([...world.orders.values()], callsOf("toolbox.order", true), callsOf("toolbox.order", false))
  expectOnce(world.mails, callsOf("toolbox.mail", true), callsOf("toolbox.mail", false))
  const cut = steps.filter(({state}) => state !== "done")
  // The engine gives up a call after three interruptions, and refuses a tool that its MCP server has changed.
  const isKnown = ({name, state, error}: (typeof cut)[number]) =>
    state === "unknown" ||
    /^the Host or .+ ended \d+ times while/.test(String(error)) ||
    (name === "put.add" && (state === "refused" || /has changed the tool/.test(String(error))))
  expect(cut.filter(step => !isKnown(step))).toEqual([])

  const memories = await rows("SELECT text FROM agent_memories")
  expect(memories.map(({text}) => String(text)).sort()).toEqual(callsOf("remember", true))
  expect(memories).toHaveLength(runs.length * 2)
  for (const name of ["seek.env", "put.add", "post.env"]) {
    const [done, missed] = [callsOf(name, true), callsOf(name, false)]
    const served = mcpCalls(project, name)
    // Only calls without an external effect may be repeated.
    expectOnce(name === "post.env" ? served : [...new Set(served)], done, missed)
  }
  const answers = scene.answers()
  expect(answers).toHaveLength(words.length)
  for (const word of words) expect(answers.filter(deed => deed.endsWith(`: ${word} is done`))).toHaveLength(1)
  expect(await rows("SELECT content FROM outbox WHERE content LIKE '% is done%'")).toHaveLength(words.length)
  expect(await rows("SELECT id FROM outbox WHERE state <> 'sent'")).toEqual([])
  const ends = await rows("SELECT run_id FROM events WHERE type = 'agent.run_succeeded'")
  expect(ends.map(({run_id: id}) => id).sort()).toEqual(runs.map(({run_id: id}) => id).sort())
  const [spent] = await rows("SELECT sum(tokens) AS tokens, sum(runs) AS runs FROM agent_spending WHERE subject = ''")
  expect(Number(spent?.runs)).toBe(words.length)
  const asked = model.requests.length
  expect(Number(spent?.tokens)).toBeGreaterThanOrEqual(asked * (usage.input + usage.output))
  if (words.length > 3) expect(new Set(model.requests.map(each => each.model))).toEqual(new Set(["scripted", "second"]))
  const unknown = cut.filter(({state}) => state === "unknown").length
  return {runtime: runtime.name, runs: runs.length, kills, unknown, asked, again: asked - 3 * runs.length}
}

/** What an MCP server was called with. */
const mcpCalls = (project: Project, name: string): readonly string[] =>
  project
    .read(name.replace(/\..*/, ".log"))
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line.slice(line.indexOf("{"))).what)

/** Expects that every completed call happened once, and that everything else that happened was an interrupted call. */
const expectOnce = (happened: readonly string[], done: readonly string[], cut: readonly string[]): void => {
  expect([...happened].sort()).toEqual([...new Set(happened)].sort())
  for (const what of done) expect(happened).toContain(what)
  expect(happened.filter(what => !done.includes(what) && !cut.includes(what))).toEqual([])
}

const tableOf = (outcomes: readonly Outcome[]): string =>
  table(
    ["runtime", "runs", "kills", "unknown", "model calls", "repeated"],
    outcomes.map(each => [each.runtime, each.runs, each.kills, each.unknown, each.asked, each.again].map(String)),
  )

test(
  `after ${rounds} kills on Bun and Node, each agent run has ended and each effect happened once (seed ${seed})`,
  async () => {
    tellHowToRepeat(run)
    const scenes = await Promise.all(bunAnd("node24").map(meet))
    let killed = 0
    const kill = async (scene: Scene) => {
      // Node takes longer to start.
      const most = scenes.length === 1 || scene.runtime.name === "bun" ? rounds : Math.ceil(rounds / 4)
      let own = 0
      for (; killed < rounds && own < most; own++) {
        killed++
        await killOnce(scene)
      }
      return own
    }
    const kills = await Promise.all(scenes.map(kill))
    const outcomes: Outcome[] = []
    for (const [index, scene] of scenes.entries()) outcomes.push(await settle(scene, kills[index] ?? 0))
    process.stdout.write(`seed ${seed}\n${tableOf(outcomes)}\n`)
  },
  180_000 + rounds * 8000,
)
