import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {inspectFile} from "../../server/database/maintenance.ts"
import {launchHost, startHost} from "../support/host.ts"
import {
  createRandom,
  drained,
  killConfig,
  killSecret,
  readAnswers,
  startPartners,
  twofoldPlugin,
} from "../support/kill-loop.ts"
import {until} from "../support/process.ts"
import {makeProject} from "../support/project.ts"
import {runtimes} from "../support/runtimes.ts"
import {startReceiver} from "../support/webhooks.ts"

/** More by `bun scripts/kill-loop.ts --rounds 1000`; a seed repeats the moments of the kills. */
const rounds = Number(process.env.SVC_KILL_ROUNDS ?? 30)
const seed = Number(process.env.SVC_KILL_SEED ?? Date.now() % 1_000_000)

/** In these rounds the kill may fall into the start and its replay: what is running then may be taken for the cause. */
const isEarly = (round: number) => round % 6 === 5

const env = {HTTP_TOKEN: "full-token-of-the-test", KILL_SECRET: killSecret}

test(
  `after ${rounds} kills, on all runtimes in turn, every acknowledged webhook is handled and answered once (seed ${seed})`,
  async () => {
    const random = createRandom(seed)
    const receiver = await startReceiver(killSecret)
    const project = makeProject({config: killConfig(receiver.url), plugins: {twofold: twofoldPlugin}})
    const partners = startPartners(8)
    for (let round = 0; round < rounds; round++) {
      const options = {project, env, runtime: runtimes[round % runtimes.length] ?? expect.fail("there is a runtime")}
      if (isEarly(round)) {
        const {process: starting} = launchHost(options)
        await sleep(100 + random() * 500)
        starting.child.kill("SIGKILL")
        await starting.finished
        continue
      }
      const host = await startHost(options)
      await drained(host, "marks")
      partners.aim(host)
      const enough = partners.acknowledged.size + 1 + Math.floor(random() * 50)
      await until("webhooks to be acknowledged", () => partners.acknowledged.size >= enough)
      await sleep(random() * 20)
      host.process.child.kill("SIGKILL")
      partners.aim(undefined)
      await host.process.finished
    }
    const last = await startHost({project, env})
    partners.aim(last)
    await partners.stop()
    await drained(last, "all")
    const {items: newest} = await last.get<{items: {id: string; state: string}[]}>("/api/outbox?limit=500")
    expect((await last.stop()).code).toBe(0)

    const file = project.path(".svc/data.sqlite")
    expect((await inspectFile(file)).findings).toEqual([])
    const {events, answers} = await readAnswers(file)
    const received = Map.groupBy(receiver.deliveries, ({id}) => id)
    const handled = [...events].filter(([, states]) => states === "handled").map(([id]) => id)
    const dead = [...events].filter(([, states]) => states === "dead").map(([id]) => id)
    const unknown = answers.filter(({state}) => state === "unknown")
    const repeated = answers.filter(({id}) => (received.get(id)?.length ?? 0) > 1)
    process.stdout.write(
      `seed ${seed}: ${rounds} kills, ${partners.acknowledged.size} webhooks acknowledged, ${events.size} stored, ${handled.length} handled, ` +
        `${dead.length} dead (suspected_crash), ${answers.length} answers, ${unknown.length} unknown, ` +
        `${repeated.length} repeated under their id\n`,
    )

    // Nothing that was acknowledged is lost, and nothing is left open.
    expect(partners.acknowledged.size).toBeGreaterThan(rounds)
    expect([...partners.acknowledged].filter(id => !events.has(id))).toEqual([])
    expect(handled.length + dead.length).toBe(events.size)
    expect(dead.length).toBeLessThanOrEqual(Array.from({length: rounds}, (_, n) => n).filter(isEarly).length)

    // Each event that was handled has its two answers once; one that is dead has none.
    const answersOf = Map.groupBy(answers, ({event}) => event)
    for (const id of handled) {
      expect((answersOf.get(id) ?? []).map(({endpoint}) => endpoint).sort()).toEqual(["sandbox", "webhook~shop"])
    }
    expect(dead.filter(id => answersOf.has(id))).toEqual([])

    // Where the platform drops repetitions every answer arrived; it came again only under its id, after a cut-off attempt.
    const posted = answers.filter(({endpoint}) => endpoint === "webhook~shop")
    expect(posted.filter(({id, state}) => state !== "sent" || !received.has(id))).toEqual([])
    expect([...received.keys()].sort()).toEqual(posted.map(({id}) => id).sort())
    expect(repeated.filter(({attempt, endpoint}) => attempt < 2 || endpoint !== "webhook~shop")).toEqual([])
    expect(receiver.refused()).toBe(0)

    // Where it does not, what may have been doubled is unknown, by name; everything else is sent once.
    const logged = answers.filter(({endpoint}) => endpoint === "sandbox")
    expect(logged.filter(({state, attempt}) => state !== "unknown" && (state !== "sent" || attempt !== 1))).toEqual([])
    expect(unknown.every(({endpoint}) => endpoint === "sandbox")).toBe(true)
    expect(unknown.length).toBeLessThanOrEqual(rounds)
    for (const {id, state} of newest) expect(answers.find(answer => answer.id === id)?.state).toBe(state)
  },
  rounds * 4000,
)
