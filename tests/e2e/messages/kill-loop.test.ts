import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {inspectFile} from "../../../server/database/upkeep/maintenance.ts"
import {killStarting, makeProject, onBun, runtimes, startHost, type TestHost, until} from "../../support/host/host.ts"
import {arrivalsOf, startChatter, staysOf} from "../../support/irc/chatter.ts"
import {untilEndpoint} from "../../support/irc/host.ts"
import {startIrcServer} from "../../support/irc/servers.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {gapsOf, isInGap} from "../../support/messages/gaps.ts"
import {type Answer, readLedger, type StoredMessage} from "../../support/messages/kill-ledger.ts"
import type {Open} from "../../support/messages/open-work.ts"
import {startReceiver} from "../../support/webhooks/webhooks.ts"
import {killConfig, killSecret, lounge, twofoldPlugin} from "./kill-loop.ts"
import {startPartners} from "./partners.ts"

const run = faultRun("kill-loop")
const {rounds, seed} = run

const env = {HTTP_TOKEN: "full-token-of-the-test", KILL_SECRET: killSecret}

/** Answers that may be open when a round continues, so that the backlog does not grow with the rounds. */
const mostOpen = 100

/** How long to wait for anything that a Host does, in milliseconds. The machine may be busy. */
const patience = 300_000

/** Uses Bun, and every fourth time one of the Nodes in turn, because Node needs twice the processor time to start. */
const nodes = runtimes.filter(runtime => runtime !== onBun)
const runtimeOf = (round: number) => (round % 4 !== 3 ? onBun : (nodes[((round - 3) / 4) % nodes.length] ?? onBun))

const openOf = (host: TestHost) => host.plugin<Open>("/api/plugins/twofold/open")

const untilOpen = (host: TestHost, what: string, holds: (open: Open) => boolean) =>
  until(what, async () => holds(await openOf(host)), patience).catch(async error => {
    const page = await (await host.fetch("/api/metrics")).text()
    const told = page.split("\n").filter(line => /^svc_(inbox|outbox|endpoint|database)/.test(line))
    throw new Error(`${error.message}: ${JSON.stringify(await openOf(host))}\n${told.join("\n")}`)
  })

const meet = async () => {
  const irc = await startIrcServer("ngircd")
  const chatter = await startChatter(irc, lounge.channel, 5)
  const receiver = await startReceiver(killSecret)
  const project = makeProject({config: killConfig(receiver.url, irc), plugins: {twofold: twofoldPlugin}})
  return {chatter, receiver, project, partners: startPartners(4, killSecret)}
}

type Scene = Awaited<ReturnType<typeof meet>>

/** Starts the Host and kills it: during startup and replay, or after all interrupted work has ended. */
const killOnce = async ({project, partners, chatter}: Scene, chance: Chance, round: number, isEarly: boolean) => {
  const options = {project, env, runtime: runtimeOf(round), patience}
  if (isEarly) return killStarting(options, chance.below(500))
  const host = await startHost({own: true, ...options})
  const isBehind = ({suspects, messages}: Open) => suspects > 0 || messages > mostOpen
  await untilOpen(host, "the interrupted work to end", open => {
    chatter.hush(isBehind(open))
    return !isBehind(open)
  })
  partners.aim(host)
  const enough = partners.acknowledged.size + 1 + chance.below(20)
  await untilOpen(host, "webhooks to be acknowledged", ({messages}) => {
    chatter.hush(messages > mostOpen)
    return partners.acknowledged.size >= enough
  })
  chatter.hush(false)
  if (chance.below(2) === 0) {
    await untilEndpoint(host, "main", "online", patience)
    const heard = chatter.said.size + chance.below(3)
    await until("a line on IRC", () => chatter.said.size > heard)
  }
  await sleep(chance.below(20))
  host.process.child.kill("SIGKILL")
  partners.aim(undefined)
  await host.process.finished
}

/** Starts the last Host and waits until it has nothing left to do. Resolves to its outbox and its gaps. */
const settle = async ({project, partners, chatter}: Scene) => {
  const last = await startHost({own: true, project, env, patience})
  partners.aim(last)
  await untilEndpoint(last, "main", "online", patience)
  const before = chatter.said.size
  await until("more lines on IRC", () => chatter.said.size > before + 5)
  await Promise.all([partners.stop(), chatter.stop()])
  const said = [...chatter.said.keys()].slice(before)
  await until(
    "the last lines to be stored",
    async () => {
      const lines = await last.plugin<readonly string[]>("/api/plugins/twofold/lines")
      return said.every(line => lines.includes(line))
    },
    patience,
  )
  await untilOpen(last, "everything to end", ({marks, messages}) => marks === 0 && messages === 0)
  const {items: outbox} = await last.get("/api/outbox", {limit: 500})
  const gaps = (await gapsOf(last)).filter(({endpoint}) => endpoint === "irc~main")
  expect((await last.stop()).code).toBe(0)
  return {outbox, gaps}
}

const idsOf = (events: readonly {readonly id: string}[]) => events.map(({id}) => id)
const textsOf = (events: readonly {readonly text: string}[]) => events.map(({text}) => text)

/** Expects that each event is handled or dead. A handled one has its two answers once, a dead one has none. */
const checkAnswers = (events: readonly StoredMessage[], answers: readonly Answer[]) => {
  expect(events.filter(({states}) => states !== "handled" && states !== "dead")).toEqual([])
  const given = Map.groupBy(answers, ({seq}) => seq)
  const wanted = ({endpoint, text, states}: StoredMessage) =>
    states === "dead" ? [] : [`${endpoint}: to ${text}`, `sandbox: log ${text}`].sort()
  const found = ({seq}: StoredMessage) =>
    (given.get(seq) ?? []).map(answer => `${answer.endpoint}: ${answer.text}`).sort()
  expect(events.filter(event => wanted(event).join() !== found(event).join())).toEqual([])
  const known = new Set(events.map(({seq}) => seq))
  expect(answers.filter(({seq}) => !known.has(seq))).toEqual([])
}

/** Expects that every acknowledged event is stored, and that each answer arrived, repeated only under the same id. */
const checkWebhooks = ({partners, receiver}: Scene, events: readonly StoredMessage[], answers: readonly Answer[]) => {
  const stored = new Set(idsOf(events))
  expect([...partners.acknowledged].filter(id => !stored.has(id))).toEqual([])
  expect(answers.filter(({state}) => state !== "sent")).toEqual([])
  const received = Map.groupBy(receiver.deliveries, ({id}) => id)
  expect([...received.keys()].sort()).toEqual(idsOf(answers).sort())
  const repeated = answers.filter(({id}) => (received.get(id)?.length ?? 0) > 1)
  expect(repeated.filter(({attempt}) => attempt < 2)).toEqual([])
  expect(receiver.refused()).toBe(0)
  return repeated
}

/** Expects a single attempt for each answer to a platform that does not drop repetitions. It is `sent` or `unknown`. */
const checkUnrepeated = (answers: readonly Answer[]) => {
  expect(answers.filter(({state, attempt}) => attempt !== 1 || (state !== "sent" && state !== "unknown"))).toEqual([])
}

describeWith("ngircd")("the kill loop", () => {
  test(
    `after ${rounds} kills on Bun and Node, every acknowledged event is handled and answered once (seed ${seed})`,
    async () => {
      tellHowToRepeat(run)
      const scene = await meet()
      const chance = new Chance(seed)
      let early = 0
      const started = performance.now()
      for (let round = 0; round < rounds; round++) {
        const isEarly = round > 0 && chance.below(4) === 0
        if (isEarly) early++
        await killOnce(scene, chance, round, isEarly)
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      const {outbox, gaps} = await settle(scene)
      const {partners, chatter, project} = scene

      const file = project.path(".svc/data.sqlite")
      expect((await inspectFile(file)).findings).toEqual([])
      const {events, answers} = await readLedger(file)
      checkAnswers(events, answers)
      const on = <T extends {readonly endpoint: string}>(rows: readonly T[], name: string) =>
        rows.filter(({endpoint}) => endpoint === name)
      const repeated = checkWebhooks(scene, on(events, "webhook~shop"), on(answers, "webhook~shop"))
      checkUnrepeated(on(answers, "sandbox"))
      const replies = on(answers, "irc~main")
      checkUnrepeated(replies)
      const dead = events.filter(({states}) => states === "dead")
      const unknown = answers.filter(({state}) => state === "unknown")
      // An event is dead only if it ran at two kills. At the second one, the Host was starting or replaying.
      expect(dead.length).toBeLessThanOrEqual(early)
      for (const {id, state} of outbox) expect(answers.find(answer => answer.id === id)?.state).toBe(state)

      // On IRC, each sent reply was heard once, each unknown reply at most once, and nothing more was heard.
      const repliesHeard = () =>
        chatter.listener.lines.flatMap(line => / PRIVMSG #lounge :(to .*)$/.exec(line)?.[1] ?? [])
      await until(
        "the last replies to be heard",
        () => {
          const texts = new Set(repliesHeard())
          return replies.every(({state, text}) => state !== "sent" || texts.has(text))
        },
        patience,
      ).catch(() => {})
      const heard = Map.groupBy(repliesHeard(), text => text)
      const times = (text: string) => heard.get(text)?.length ?? 0
      expect(replies.filter(({state, text}) => (state === "sent" ? times(text) !== 1 : times(text) > 1))).toEqual([])
      expect([...heard.keys()].filter(text => !textsOf(replies).includes(text))).toEqual([])

      // Each line is stored at most once. If one is missing, it reached the server during a listed gap.
      const lines = textsOf(on(events, "irc~main"))
      const stored = new Set(lines)
      expect(lines.length).toBe(stored.size)
      expect(lines.filter(line => !chatter.said.has(line))).toEqual([])
      const missing = arrivalsOf(chatter).filter(({line}) => !stored.has(line))
      expect(missing.filter(said => !isInGap(gaps, said))).toEqual([])
      // A kill may lose the last lines said while the bot was in the channel, but none between stored lines.
      const stays = staysOf(chatter.listener, lounge.nick)
      const holes = stays.map(stay => stay.lines.map(line => stored.has(line)))
      expect(
        holes.filter(found => found.lastIndexOf(true) >= (found.indexOf(false) + 1 || Number.POSITIVE_INFINITY)),
      ).toEqual([])
      expect(holes.at(-1)?.every(Boolean)).toBe(true)

      process.stdout.write(
        `seed ${seed}: ${rounds} kills in ${seconds} s (${early} while starting): ${partners.acknowledged.size} webhooks acknowledged, ` +
          `${chatter.said.size} lines said on IRC, ${lines.length} stored, ${missing.length} in ${gaps.length} gaps; ` +
          `${events.length} events, ${dead.length} dead (suspected_crash), ${answers.length} answers, ${unknown.length} unknown, ` +
          `${repeated.length} repeated under their id\n`,
      )
      expect(partners.acknowledged.size).toBeGreaterThan(rounds / 2)
      expect(lines.length).toBeGreaterThan(rounds / 10)
    },
    180_000 + rounds * 8000,
  )
})
