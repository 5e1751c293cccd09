import {expect, test} from "vitest"
import {fillDisk, mountDisk, needMounts} from "../support/disk.ts"
import {expectProblem} from "../support/host.ts"
import {readLedger} from "../support/inbox-ledger.ts"
import {makeProject} from "../support/project.ts"
import {answersPlugin, startWebhookHost, webhookConfig} from "../support/webhook-host.ts"

test("a webhook whose event cannot be stored is not acknowledged, and is taken when it is delivered again", async context => {
  needMounts(context)
  const config = `${webhookConfig()}database: {dialect: sqlite, filename: data/bot.sqlite}\ningress: {minimumFree: 0}\n`
  const project = makeProject({config, plugins: {answers: answersPlugin}})
  const disk = mountDisk(project.path("data"), "2m")
  const {host, say} = await startWebhookHost({project})
  const acknowledged: string[] = []
  let refused: string | undefined
  fillDisk(project.path("data"))
  for (let n = 0; refused === undefined && n < 200; n++) {
    const id = `msg_${n}`
    const response = await say({text: id.padEnd(30_000, ".")}, id)
    if (response.status === 202) acknowledged.push(id)
    else {
      await expectProblem(response, 503, "database_full")
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
      refused = id
    }
  }
  expect(refused).toBeDefined()
  disk.resize("32m")
  const again = await say({text: "once more"}, refused ?? "")
  expect({status: again.status, body: await again.json()}).toEqual({status: 202, body: {id: refused, duplicate: false}})
  await host.stop()
  const ledger = await readLedger(project.path("data/bot.sqlite"))
  expect([...ledger.keys()].sort()).toEqual([...acknowledged, refused].sort())
})
