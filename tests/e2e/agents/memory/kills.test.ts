import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {readRows, runsOf} from "../../../support/agents/host.ts"
import {memoryConfig, noting} from "../../../support/agents/memory.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {bunOr, makeProject, startHost, tell, until} from "../../../support/host/host.ts"
import {Chance} from "../../../support/machine/fault-run.ts"

const kills = 6
const perLife = 8

describe.each(bunOr("node24"))("on $name", runtime => {
  test("kill -9 loses and doubles no memory", async () => {
    const model = await startScriptedModel(noting)
    const project = makeProject({config: memoryConfig(model.url)})
    const chance = new Chance(7)
    const texts: string[] = []
    for (let life = 0; life <= kills; life++) {
      const host = await startHost({own: true, runtime, project})
      for (let n = 0; n < perLife; n++) {
        const text = `fact ${life} of ${n}`
        texts.push(text)
        await tell(host, {user: `user${n}`, channel: `@user${n}`, text: `note user: ${text}`})
      }
      await sleep(chance.below(120))
      if (life < kills) await host.stop("SIGKILL")
      else {
        await until("all runs to end", async () => {
          const runs = await runsOf(host, 500)
          return runs.length === texts.length && runs.every(({state}) => state === "succeeded")
        })
        await host.stop()
      }
    }
    const rows = await readRows(project, "SELECT text FROM agent_memories")
    expect(rows.map(({text}) => text).sort()).toEqual([...texts].sort())
    const steps = await readRows(project, "SELECT run, count(*) AS n FROM agent_steps WHERE kind = 'tool' GROUP BY run")
    expect(steps.map(({n}) => Number(n))).toEqual(texts.map(() => 1))
    const found = await readRows(project, "SELECT rowid FROM memory_index WHERE memory_index MATCH 'words : fact'")
    expect(found).toHaveLength(texts.length)
    const again = await readRows(project, "SELECT sum(begun > 1) AS n FROM agent_steps WHERE kind = 'model'")
    process.stdout.write(`${kills} kills, ${texts.length} memories, ${Number(again[0]?.n)} model calls repeated\n`)
  }, 120_000)
})
