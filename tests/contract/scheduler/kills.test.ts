import {expect, test} from "vitest"
import type {Firing} from "../../../shared/api/scheduled/jobs.ts"
import {localDatabase, open} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"
import {jobOf, runsIn, schedulerOn} from "../../support/scheduler/jobs.ts"

const run = faultRun("job-kills")
const {rounds, seed} = run

/** For tests in which nobody sets the clock back. */
const aDay = 86_400_000

test(
  "a kill at any write fires a due time at most once, and fails the running job",
  async () => {
    const jobs = [
      jobOf("once", {missed: "once", schedule: {every: "10m"}}),
      jobOf("all", {missed: "all", overlap: "queue", schedule: {every: "15m"}}),
    ]
    tellHowToRepeat(run)
    let failed = 0
    for (let round = seed; round < seed + rounds; round++) {
      const chance = new Chance(round)
      const database = await open(await localDatabase())
      const fired: string[] = []
      const mark = async ({job, scheduledFor}: Firing) => {
        fired.push(`${job} ${scheduledFor}`)
        return {statements: []}
      }
      let at = Date.parse("2026-05-01T09:01:00Z")
      for (let life = 0; life < 4; life++) {
        const mortal = new MortalDatabase(database)
        const clock = new HandClock(new Date(at).toISOString(), aDay)
        const {scheduler, settle} = schedulerOn(mortal, {clock, fire: mark})
        mortal.doom(chance.below(24), chance.pick<Death>(["before", "after"]))
        const living = scheduler
          .start(jobs)
          .then(settle)
          .then(() => clock.passTo(new Date(at + 3_600_000).toISOString(), settle))
        await Promise.race([living, mortal.died])
        await mortal.die()
        at = clock.now() + chance.below(1_800_000)
      }
      expect({round, twice: fired.filter((text, index) => fired.indexOf(text) !== index)}).toEqual({round, twice: []})
      const clock = new HandClock(new Date(at).toISOString(), aDay)
      const last = schedulerOn(database, {clock, fire: mark})
      await last.scheduler.start(jobs)
      await last.settle()
      const runs = await runsIn(database)
      expect({round, open: runs.filter(each => / (queued|running)/.test(each))}).toEqual({round, open: []})
      expect(runs.filter(each => each.includes("failed")).every(each => each.endsWith("failed host_restarted"))).toBe(
        true,
      )
      failed += runs.filter(each => each.endsWith("failed host_restarted")).length
      // Every succeeded job was fired, and every fired job has succeeded or failed.
      const ended = runs
        .filter(each => / (succeeded|failed)/.test(each))
        .map(each => each.split(" ").slice(0, 2).join(" "))
      expect(new Set(ended).size).toBe(ended.length)
      for (const each of fired) {
        const [job = "", due = ""] = each.split(" ")
        expect(ended).toContain(`${job} ${new Date(Number(due)).toISOString().replace(":00.000Z", "")}`)
      }
    }
    expect(failed).toBeGreaterThan(rounds / 8)
  },
  120_000 + rounds * 4000,
)
