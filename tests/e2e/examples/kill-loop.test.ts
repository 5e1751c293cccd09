import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {inspectFile} from "../../../server/database/upkeep/maintenance.ts"
import {startLoopback} from "../../support/adapters/loopback.ts"
import {bunAnd, killStarting, startHost, type TestRuntime} from "../../support/host/host.ts"
import {Chance, faultRun, seedOf, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {readRows} from "../../support/messages/inbox-ledger.ts"
import {untilIdle, untilOpen} from "../../support/messages/messages.ts"
import {exampleProject, timeless, untilFired} from "./example.ts"

const run = faultRun("example-kills")
const {rounds, seed} = run

/** How long to wait for anything that a Host does, in milliseconds. The machine may be busy. */
const patience = 300_000

/** How long a user is muted, in minutes. A timer closes the case about a second later. */
const minutes = 0.02

/** A user who says one thing to one of the two bots. */
interface Person {
  readonly name: string
  readonly text: string
  readonly channel: string
  /** Everything that the bot does in response, each deed once. */
  readonly deeds: readonly string[]
}

const judged = (name: string, channel: string): Person => ({
  name,
  text: "spam",
  channel,
  deeds: [
    `delete ${name}`,
    `mute ${name} ${minutes * 60_000}`,
    `log: ${name} in ${channel} on loop~one wrote "spam" (spam): deleted, muted for ${minutes} min.`,
    `@${name}: The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.`,
    `log: The mute of ${name} in ${channel} has ended.`,
  ],
})

const reminded = (name: string, channel: string): Person => ({
  name,
  text: "/remind in 1s tea",
  channel,
  deeds: [`${channel}: Reminder 1, on TIME: tea`, `${channel}: ${name}: tea`],
})

/** Starts a separate platform with a project. `speak` adds people to it. */
const meet = async (runtime: TestRuntime) => {
  const platform = await startLoopback()
  const project = exampleProject(platform, minutes)
  const chance = new Chance(seedOf(seed, runtime.name))
  const people: Person[] = []
  let expected = 1
  const speak = (count: number) => {
    for (let i = 0; i < count; i++) {
      const name = `p${people.length}`
      const person = chance.pick([judged, reminded])(name, `c${chance.below(6)}`)
      people.push(person)
      expected += person.deeds.length
      platform.say(name, person.text, {user: name, channel: person.channel})
    }
  }
  return {runtime, platform, project, chance, people, speak, open: () => expected - platform.deeds.length}
}

type Scene = Awaited<ReturnType<typeof meet>>

/** Deeds that may be open when a round continues, so that the backlog does not grow with the rounds. */
const mostOpen = 100

/** Starts the Host and kills it, either during its start or while it acts and its timers fire. */
const killOnce = async ({runtime, project, chance, speak, open}: Scene): Promise<void> => {
  const options = {runtime, project, patience}
  speak(1)
  if (open() < mostOpen && chance.below(4) === 0) return killStarting(options, chance.below(600))
  const host = await startHost({own: true, ...options})
  await untilOpen(host, mostOpen, open)
  speak(2)
  await sleep(50 + chance.below(250))
  await host.stop("SIGKILL")
}

/** Runs a last Host to the end. Then everything must have been done exactly once. */
const settle = async ({runtime, platform, project, people, open}: Scene): Promise<void> => {
  const host = await startHost({own: true, runtime, project, patience})
  // If something is still missing, the comparison below names it.
  await untilOpen(host, 0, open).catch(() => {})
  await untilFired(host, "check")
  await untilIdle(host)
  const expected = ["log: Moderation is on: spam.", ...people.flatMap(({deeds}) => deeds)]
  expect(timeless(platform.deeds)).toEqual(expected.sort())
  for (const [path, state] of [
    ["/api/timers", undefined],
    ["/api/inbox", "failed"],
    ["/api/outbox", "unknown"],
    ["/api/outbox", "failed"],
  ] as const)
    expect({path, state, items: (await host.get(path, {state})).items}).toEqual({path, state, items: []})
  expect((await host.stop()).code).toBe(0)
  const file = project.path(".svc/data.sqlite")
  expect((await inspectFile(file)).findings).toEqual([])
  // The platform drops repetitions, so count the rows to see that nothing was stored twice.
  const rows = await readRows(file, "SELECT kind, count(*) AS rows FROM outbox GROUP BY kind ORDER BY kind")
  const muted = people.filter(({text}) => text === "spam").length
  const messages = expected.length - 2 * muted
  expect(rows).toEqual([
    {kind: "call", rows: muted},
    {kind: "delete", rows: muted},
    {kind: "message", rows: messages},
  ])
}

test(
  `after ${rounds} kills on Bun and Node, each act is done once and each timer has fired once (seed ${seed})`,
  async () => {
    tellHowToRepeat(run)
    const scenes = await Promise.all(bunAnd("node24").map(meet))
    const began = performance.now()
    let killed = 0
    const kill = async (scene: Scene) => {
      // Node takes three times as long to start.
      const most = scenes.length === 1 || scene.runtime.name === "bun" ? rounds : Math.ceil(rounds / 8)
      let own = 0
      for (; killed < rounds && own < most; own++) {
        killed++
        await killOnce(scene)
      }
      return `${own} on ${scene.runtime.name}`
    }
    const counts = await Promise.all(scenes.map(kill))
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    for (const scene of scenes) await settle(scene)
    const said = scenes.map(({people, platform}) => {
      return `${people.length} said, ${platform.deeds.length} deeds, ${platform.repeated()} repeated under their id`
    })
    process.stdout.write(`seed ${seed}: ${counts.join(", ")} in ${seconds} s; ${said.join("; ")}\n`)
  },
  180_000 + rounds * 8000,
)
