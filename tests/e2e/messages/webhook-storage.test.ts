import {expect, test} from "vitest"
import {holdDatabase} from "../../support/database/stranger.ts"
import {expectProblem} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {failSyncs, needStrace, syncing} from "../../support/machine/strace.ts"
import {readLedger} from "../../support/messages/inbox-ledger.ts"
import {answersPlugin, startWebhookHost, webhookConfig} from "../../support/webhooks/host.ts"

test("a webhook that cannot be stored is not acknowledged, and is accepted on redelivery", async context => {
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

const idsOf = (name: string) => Array.from({length: 5}, (_, n) => `${name}-${n}`)

test("a webhook is not acknowledged while fsync fails, and is accepted on redelivery", async context => {
  needStrace(context)
  const {host, say} = await startWebhookHost({own: true, env: syncing.inThread})
  for (const id of idsOf("before")) expect((await say({text: id}, id)).status).toBe(202)
  const strace = await failSyncs(context, host.process.pid)
  for (const id of idsOf("failed")) {
    const response = await say({text: id}, id)
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    await expectProblem(response, 503, "database_outcome_unknown")
  }
  strace.child.kill("SIGINT")
  await strace.finished
  for (const id of idsOf("failed")) expect((await say({text: id}, id)).status).toBe(202)
  await host.stop("SIGKILL")
  const ledger = await readLedger(host.project.path(".svc/data.sqlite"))
  expect([...ledger.keys()].sort()).toEqual([...idsOf("before"), ...idsOf("failed")].sort())
})

test("a webhook is not acknowledged while another process locks the database, and is accepted on redelivery", async () => {
  const {host, say} = await startWebhookHost({own: true})
  const file = host.project.path(".svc/data.sqlite")
  for (const id of idsOf("before")) expect((await say({text: id}, id)).status).toBe(202)
  const stranger = await holdDatabase(file)
  const response = await say({text: "during"}, "during")
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  await expectProblem(response, 503, "database_busy")
  stranger.child.kill("SIGKILL")
  await stranger.finished
  expect((await say({text: "during"}, "during")).status).toBe(202)
  await host.stop("SIGKILL")
  expect([...(await readLedger(file)).keys()].sort()).toEqual([...idsOf("before"), "during"].sort())
})
