import {expect, test} from "vitest"
import {onBun, plainConfig, startHost, svc} from "../../support/host/host.ts"
import {makeNextVersion} from "../../support/host/next-version.ts"
import {echoPlugin} from "../../support/messages/inbox-ledger.ts"

test("without its bundle svc runs from source on Bun, answers, and verifies a checkpoint", async () => {
  const runtime = await makeNextVersion(onBun, [])
  const host = await startHost({runtime, config: `${plainConfig}  echo: {}\n`, plugins: {echo: echoPlugin}})
  expect(await host.say("hello")).toEqual(["echo hello"])
  const made = await svc(runtime, host.project, ["checkpoint", "create", "--json"])
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const {id} = JSON.parse(made.stdout)
  expect((await host.stop()).code).toBe(0)
  const verified = await svc(runtime, host.project, ["checkpoint", "verify", id])
  expect({code: verified.code, stderr: verified.stderr}).toEqual({code: 0, stderr: ""})
})
