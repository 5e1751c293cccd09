import {expect, test} from "vitest"
import {readCalls} from "../../../server/agents/metrics.ts"
import {AgentMeter} from "../../../server/agents/runs/meter.ts"

test("calls are timed by binding, tool and outcome", () => {
  const meter = new AgentMeter()
  meter.toolEnded("writer", "send", 0.2, "done")
  meter.toolEnded("writer", "send", 0.3, "done")
  meter.toolEnded("writer", "send", 9, "failed")
  meter.modelEnded("writer", "small", 1.5, "done")
  for (const agent of ["writer", "reader", "writer"]) meter.unknownMet(agent)
  const {svc_agent_tool_seconds: tools, svc_agent_model_seconds: models, ...counts} = readCalls(meter)
  expect(tools.map(({labels, histogram}) => ({...labels, count: histogram.count}))).toEqual([
    {agent: "writer", tool: "send", outcome: "done", count: 2},
    {agent: "writer", tool: "send", outcome: "failed", count: 1},
  ])
  expect(models.map(({labels}) => labels)).toEqual([{agent: "writer", model: "small", outcome: "done"}])
  expect(counts).toEqual({
    svc_agent_unknown_total: [
      {labels: {agent: "writer"}, value: 2},
      {labels: {agent: "reader"}, value: 1},
    ],
  })
})
