import {expect, test} from "vitest"
import {root, runProcess, runtimes} from "../../support/host/host.ts"

test.for(runtimes)("on $name, a silent server meets the deadline while memory is collected", async runtime => {
  const [program = ""] = runtime.command
  // Without this flag, Node 22.12 reads no TypeScript.
  const env = runtime.name === "node22" ? {NODE_OPTIONS: "--experimental-strip-types"} : {}
  const script = `${root}tests/contract/adapters/ask-silence.ts`
  const {code, stdout} = await runProcess([program, "--expose-gc", script], {env})
  expect(code).toBe(0)
  const late = "could not reach it: timed out after 0.5 s"
  expect(JSON.parse(stdout)).toEqual([late, late, {id: "U1"}])
})
