import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {TableStore} from "../../../server/workroom/store/table-store.ts"
import {makeFolder, open} from "../../support/database/databases.ts"
import {Chance, linesIn, onBun, root, runtimes, scriptCommand, startProcess, until} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {authority, openWorkroom} from "../../support/workroom/workroom.ts"

const run = faultRun("workroom-kills")
const {rounds, seed} = run
const tableRounds = Math.ceil(rounds / 6)

/** A test's limit in milliseconds. The machine may be busy. */
const patienceOf = (kills: number) => 60_000 + kills * 10_000

const script = `${root}tests/e2e/workroom/record-commands.ts`

/** The number of kills for each Journal. With one segment for each record, a long Journal is slow to open. */
const roundsOfOne = 32

/** Node 22.12 does not run TypeScript. */
const onBoth = runtimes.filter(({name}) => name !== "node22")

/** The items to acknowledge before the kill: none in every fourth round, else some even on a slow machine. */
const leastOf = (round: number) => (round + 3) % 4

/** Adds items under a name in a process; kills it after `after` ms. Returns the acknowledged titles. */
const addUntilKilled = async (round: number, args: readonly string[], after: number): Promise<readonly string[]> => {
  const runtime = onBoth[round % onBoth.length] ?? onBun
  const running = startProcess([...scriptCommand(runtime, script), ...args])
  await until("the store to open", () => running.output().startsWith("open"))
  await until("the first items", () => linesIn(running.stdout()).length > leastOf(round))
  await sleep(after)
  running.child.kill("SIGKILL")
  const {stdout, stderr, signal} = await running.finished
  expect({stderr, signal}).toEqual({stderr: "", signal: "SIGKILL"})
  return linesIn(stdout).slice(1)
}

test(
  `after ${rounds} kills (seed ${seed}), half of them amid segment rotation, every acknowledged item is in the files`,
  async () => {
    tellHowToRepeat(run)
    const chance = new Chance(seed)
    let folder = makeFolder()
    let acknowledged: string[] = []
    let all = 0
    for (let round = 0; round < rounds; round++) {
      const segmentSize = round % 2 === 0 ? "1" : "8192"
      const added = await addUntilKilled(round, ["file", folder, `r${round}`, segmentSize], 5 + chance.below(60))
      acknowledged.push(...added)
      all += added.length
      if (round % 8 !== 7 && round !== rounds - 1) continue
      const workroom = await openWorkroom(new FileStore({folder}))
      await workroom.verify()
      const titles = new Set(workroom.items.map(({title}) => title))
      expect(acknowledged.filter(title => !titles.has(title))).toEqual([])
      expect(workroom.items).toHaveLength(titles.size)
      await workroom.close()
      if (round % roundsOfOne !== roundsOfOne - 1) continue
      folder = makeFolder()
      acknowledged = []
    }
    process.stdout.write(`seed ${seed}: ${rounds} kills, ${all} items acknowledged in files, none lost\n`)
    expect(all).toBeGreaterThan(rounds)
  },
  patienceOf(rounds),
)

test("after kills, every acknowledged item is in the tables", {timeout: patienceOf(tableRounds)}, async () => {
  tellHowToRepeat(run)
  const file = join(makeFolder(), "data.sqlite")
  const chance = new Chance(seed)
  const acknowledged: string[] = []
  for (let round = 0; round < tableRounds; round++) {
    acknowledged.push(...(await addUntilKilled(round, ["database", file, `r${round}`], 20 + chance.below(80))))
  }
  const workroom = await openWorkroom(new TableStore(await open({dialect: "sqlite", file})), authority)
  await workroom.verify()
  const titles = new Set(workroom.items.map(({title}) => title))
  expect(acknowledged.filter(title => !titles.has(title))).toEqual([])
  process.stdout.write(
    `seed ${seed}: ${tableRounds} kills, ${acknowledged.length} items acknowledged in tables, none lost\n`,
  )
  expect(acknowledged.length).toBeGreaterThan(0)
})
