import {expect, test} from "vitest"
import {inspectFile} from "../../../server/database/upkeep/maintenance.ts"
import {allOf, Chance, type Gap, gapsOf, makeProject, startHost, until} from "../../support/host/host.ts"
import {checkArrivals} from "../../support/kills/arrivals.ts"
import {projectFor} from "../../support/kills/bot.ts"
import {discordUnderKills} from "../../support/kills/discord.ts"
import {emailUnderKills} from "../../support/kills/email.ts"
import {checkEventLog} from "../../support/kills/event-log.ts"
import {ircUnderKills} from "../../support/kills/irc.ts"
import {KillLoop, openOf, patience, type Scene, speakAll, untilOnline, untilStored} from "../../support/kills/loop.ts"
import {matrixUnderKills} from "../../support/kills/matrix.ts"
import type {KillPlatform} from "../../support/kills/platform.ts"
import {tableOf} from "../../support/kills/table.ts"
import {telegramUnderKills} from "../../support/kills/telegram.ts"
import {checkAnswers} from "../../support/kills/verdict.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {type Ledger, readLedger} from "../../support/messages/kill-ledger.ts"
import {describeWithDendrite} from "../../support/platforms/matrix/dendrite.ts"

const run = faultRun("adapter-kills")
const {rounds, seed} = run

/** Only kills that interrupt something count, and not every kill interrupts something on every platform. */
const mostKills = rounds * 8 + 20

/** Starts the last Host and waits until it has nothing left to do. Resolves to its outbox and its gaps. */
const settle = async ({project, env, platforms}: Scene) => {
  for (const platform of platforms) platform.launching()
  const last = await startHost({project, env, patience})
  await untilOnline(last)
  await speakAll({platforms})
  await untilStored(last, platforms)
  await until(
    "everything to end",
    async () => {
      const {marks, messages} = await openOf(last)
      return marks === 0 && messages === 0
    },
    patience,
  )
  const outbox = await allOf(cursor => last.get("/api/outbox", {limit: 500, cursor}))
  const gaps = await gapsOf(last)
  expect((await last.stop()).code).toBe(0)
  return {outbox, gaps}
}

/** The stored texts of a platform's messages, in order. */
const storedOn = ({name}: KillPlatform, {events}: Ledger) =>
  events.filter(({endpoint, type}) => endpoint === `${name}~one` && type === "message-created").map(({text}) => text)

const judge = async (platform: KillPlatform, ledger: Ledger, all: readonly Gap[], kills: number) => {
  const stored = storedOn(platform, ledger)
  const gaps = all.filter(({endpoint}) => endpoint === `${platform.name}~one`)
  const arrivals = checkArrivals(platform, stored, gaps)
  const answers = await checkAnswers(platform, ledger)
  const lost = [...arrivals.lost, ...answers.lost]
  const doubled = [...arrivals.doubled, ...answers.doubled]
  const row = {
    adapter: platform.name,
    kills,
    said: platform.said.size,
    stored: stored.length,
    handled: answers.handled,
    answered: answers.answered,
    unknown: answers.unknown,
    repeats: answers.repeats,
    "told apart": answers.toldApart,
    gaps: gaps.length,
    filled: gaps.filter(({backfill}) => backfill === "filled").length,
    partly: gaps.filter(({backfill}) => backfill === "partly").length,
    "missed in gaps": arrivals.missed,
    lost: lost.length,
    doubled: doubled.length,
  }
  return {row, wrong: {lost, doubled}}
}

const meet = () =>
  Promise.all([telegramUnderKills(), discordUnderKills(), matrixUnderKills(), emailUnderKills(), ircUnderKills()])

describeWith("ngircd", "dovecot")("the kill loop over five platforms", () => {
  describeWithDendrite("on real servers of three, and fakes of two", () => {
    test(
      `after ${rounds} kills of each, every message is stored once and answered as promised (seed ${seed})`,
      async () => {
        tellHowToRepeat(run)
        const platforms = await meet()
        const {env, ...options} = projectFor(platforms)
        const scene = {project: makeProject(options), env, platforms}
        const loop = new KillLoop(scene, new Chance(seed))
        const started = performance.now()
        while (loop.fewest < rounds && loop.kills.all < mostKills) await loop.kill()
        const seconds = ((performance.now() - started) / 1000).toFixed(0)
        expect(loop.fewest, `kills by adapter: ${loop.counts}`).toBeGreaterThanOrEqual(rounds)
        const {outbox, gaps} = await settle(scene)

        const file = scene.project.path(".svc/data.sqlite")
        expect((await inspectFile(file)).findings).toEqual([])
        const ledger = await readLedger(file)
        const stateOf = ({id, state}: {id: string; state: string}) => `${id} ${state}`
        expect(outbox.map(stateOf).sort()).toEqual(ledger.answers.map(stateOf).sort())
        const dead = ledger.events.filter(({states}) => states === "dead")
        // A handler is dead only if it ran at two kills. At the second one, the Host was starting or replaying.
        expect(dead.length).toBeLessThanOrEqual(loop.kills.early)
        const verdicts = await Promise.all(
          platforms.map(platform => judge(platform, ledger, gaps, loop.counted.get(platform) ?? 0)),
        )
        const {all, early, bun, node} = loop.kills
        process.stdout.write(
          `seed ${seed}: ${all} kills in ${seconds} s (${bun} on Bun, ${node} on Node; ${early} while starting), ` +
            `${dead.length} dead (suspected_crash)\n${tableOf(verdicts.map(({row}) => row))}\n`,
        )
        await checkEventLog(file, ledger, gaps)
        const nothing = {lost: [], doubled: []}
        expect(verdicts.map(({wrong}) => wrong)).toEqual(verdicts.map(() => nothing))
      },
      180_000 + rounds * 60_000,
    )
  })
})
