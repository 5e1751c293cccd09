import {expect, test} from "vitest"
import {expectProblem} from "../../support/host/host.ts"
import {failSyncs, needStrace, syncing} from "../../support/machine/strace.ts"
import {readLedger} from "../../support/messages/inbox-ledger.ts"
import {startWebhookHost} from "../../support/webhooks/host.ts"

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
