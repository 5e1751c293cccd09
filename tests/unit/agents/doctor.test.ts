import {expect, test} from "vitest"
import {checkAgents} from "../../../server/doctor/running.ts"

test("doctor names held runs and calls that wait for a person, with the next step", () => {
  expect(checkAgents({held: false, approvals: []})).toEqual([])
  expect(checkAgents({held: true, approvals: [{id: "a1", agent: "helper", tool: "send"}]})).toMatchObject([
    {level: "warning", check: "agents", detail: expect.stringContaining("held")},
    {
      level: "warning",
      check: "agents",
      detail: expect.stringContaining("helper"),
      remediation: expect.stringContaining("svc agent approve a1"),
    },
  ])
})
